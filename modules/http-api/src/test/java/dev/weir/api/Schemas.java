package dev.weir.api;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** As much of JSON Schema as the OpenAPI file uses, for its examples and for real answers. */
final class Schemas {

  private final Map<?, ?> root;
  private int examples;

  Schemas(Map<?, ?> root) {
    this.root = root;
  }

  Map<?, ?> named(String name) {
    return (Map<?, ?>) Objects.requireNonNull(at(root, "components", "schemas", name), name);
  }

  Object at(Map<?, ?> node, String... path) {
    Object found = node;
    for (String step : path) {
      found = Objects.requireNonNull(((Map<?, ?>) found).get(step), step);
    }
    return found;
  }

  int examplesSeen() {
    return examples;
  }

  List<String> faultsOfAllExamples() {
    List<String> faults = new ArrayList<>();
    walk(root, "", faults);
    return faults;
  }

  /** Wherever a schema and an example stand side by side, or an example in a schema. */
  private void walk(@Nullable Object node, String where, List<String> faults) {
    if (node instanceof List<?> list) {
      for (int i = 0; i < list.size(); i++) {
        walk(list.get(i), where + "/" + i, faults);
      }
    }
    if (!(node instanceof Map<?, ?> map)) {
      return;
    }
    if (map.get("$ref") instanceof String) {
      resolve(map);
    }
    Object schema = map.containsKey("schema") ? map.get("schema") : map;
    if (map.containsKey("example") && !where.endsWith("/properties")) {
      check(schema, map.get("example"), where + "/example", faults);
    }
    if (map.get("examples") instanceof Map<?, ?> several) {
      several.forEach(
          (name, example) ->
              check(
                  schema, ((Map<?, ?>) example).get("value"), where + "/examples/" + name, faults));
    }
    map.forEach(
        (key, child) -> {
          if (!key.equals("example") && !key.equals("examples")) {
            walk(child, where + "/" + key, faults);
          }
        });
  }

  private void check(
      @Nullable Object schema, @Nullable Object example, String where, List<String> faults) {
    examples++;
    faults.addAll(faults((Map<?, ?>) Objects.requireNonNull(schema), example, where));
  }

  private Map<?, ?> resolve(Map<?, ?> schema) {
    Map<?, ?> found = schema;
    if (schema.get("$ref") instanceof String reference) {
      found = root;
      for (String step : reference.substring(2).split("/", -1)) {
        found = (Map<?, ?>) Objects.requireNonNull(found.get(step), reference);
      }
    }
    return found;
  }

  List<String> faults(Map<?, ?> given, @Nullable Object value, String where) {
    Map<?, ?> schema = resolve(given);
    List<String> faults = new ArrayList<>();
    typeFaults(schema, value, where, faults);
    if (schema.get("enum") instanceof List<?> allowed && !allowed.contains(value)) {
      faults.add(where + ": " + value + " is none of " + allowed);
    }
    if (schema.get("oneOf") instanceof List<?> choices) {
      long fitting =
          choices.stream().filter(one -> faults((Map<?, ?>) one, value, where).isEmpty()).count();
      if (fitting != 1) {
        faults.add(where + ": fits " + fitting + " of oneOf");
      }
    }
    if (value instanceof String text) {
      textFaults(schema, text, where, faults);
    } else if (value instanceof Number number) {
      numberFaults(schema, number, where, faults);
    } else if (value instanceof List<?> list) {
      listFaults(schema, list, where, faults);
    } else if (value instanceof Map<?, ?> map) {
      objectFaults(schema, map, where, faults);
    }
    return faults;
  }

  private static void typeFaults(
      Map<?, ?> schema, @Nullable Object value, String where, List<String> faults) {
    Object type = schema.get("type");
    if (type == null) {
      return;
    }
    List<?> types = type instanceof List<?> several ? several : List.of(type);
    if (types.stream().noneMatch(one -> isA(one.toString(), value))) {
      faults.add(where + ": " + value + " is no " + types);
    }
  }

  private static boolean isA(String type, @Nullable Object value) {
    return switch (type) {
      case "string" -> value instanceof String;
      case "integer" -> value instanceof Integer || value instanceof Long;
      case "number" -> value instanceof Number;
      case "boolean" -> value instanceof Boolean;
      case "array" -> value instanceof List;
      case "object" -> value instanceof Map;
      case "null" -> value == null;
      default -> false;
    };
  }

  private static void textFaults(Map<?, ?> schema, String text, String where, List<String> faults) {
    if (schema.get("pattern") instanceof String pattern
        && !Pattern.compile(pattern).matcher(text).find()) {
      faults.add(where + ": '" + text + "' does not match " + pattern);
    }
    if (schema.get("minLength") instanceof Integer least && text.length() < least
        || schema.get("maxLength") instanceof Integer most && text.length() > most) {
      faults.add(where + ": length of '" + text + "'");
    }
  }

  private static void numberFaults(
      Map<?, ?> schema, Number number, String where, List<String> faults) {
    if (schema.get("minimum") instanceof Number least && number.doubleValue() < least.doubleValue()
        || schema.get("maximum") instanceof Number most
            && number.doubleValue() > most.doubleValue()) {
      faults.add(where + ": " + number + " is out of range");
    }
  }

  private void listFaults(Map<?, ?> schema, List<?> list, String where, List<String> faults) {
    if (schema.get("minItems") instanceof Integer least && list.size() < least
        || schema.get("maxItems") instanceof Integer most && list.size() > most) {
      faults.add(where + ": " + list.size() + " items");
    }
    if (schema.get("items") instanceof Map<?, ?> item) {
      for (int i = 0; i < list.size(); i++) {
        faults.addAll(faults(item, list.get(i), where + "[" + i + "]"));
      }
    }
  }

  private void objectFaults(Map<?, ?> schema, Map<?, ?> map, String where, List<String> faults) {
    if (schema.get("required") instanceof List<?> required) {
      for (Object name : required) {
        if (!map.containsKey(name)) {
          faults.add(where + ": lacks " + name);
        }
      }
    }
    map.forEach(
        (name, value) -> {
          Map<?, ?> property = property(schema, name.toString());
          if (property != null) {
            faults.addAll(faults(property, value, where + "." + name));
          } else if (Boolean.FALSE.equals(schema.get("additionalProperties"))) {
            faults.add(where + ": unknown " + name);
          }
        });
  }

  private static @Nullable Map<?, ?> property(Map<?, ?> schema, String name) {
    if (schema.get("properties") instanceof Map<?, ?> properties
        && properties.get(name) instanceof Map<?, ?> property) {
      return property;
    }
    if (schema.get("patternProperties") instanceof Map<?, ?> patterns) {
      for (Map.Entry<?, ?> entry : patterns.entrySet()) {
        if (Pattern.compile(entry.getKey().toString()).matcher(name).find()) {
          return (Map<?, ?>) entry.getValue();
        }
      }
    }
    return schema.get("additionalProperties") instanceof Map<?, ?> other ? other : null;
  }
}
