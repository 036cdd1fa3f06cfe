package dev.weir.receiver;

import dev.weir.domain.quota.Rate;
import dev.weir.receiver.Script.Answer;
import dev.weir.receiver.Script.Drip;
import dev.weir.receiver.Script.Ending;
import dev.weir.receiver.Script.Match;
import dev.weir.receiver.Script.PathScript;
import dev.weir.receiver.Script.RateLimit;
import dev.weir.receiver.Script.RetryAfterForm;
import dev.weir.receiver.Script.Rule;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;
import org.snakeyaml.engine.v2.exceptions.YamlEngineException;

/**
 * Reads a script from YAML or JSON (which is YAML too).
 *
 * <pre>
 * default: {status: 200}
 * paths:
 *   - path: /orders            # exactly this path; "/orders/*" is everything below it
 *     rules:                   # the first that matches answers; none: the default
 *       - match: {until: 10s}
 *         answer: {status: 503}
 *       - match: {every: 20}
 *         answer: {status: 422, body: "no such store"}
 *       - answer: {rateLimit: {rate: 5/s, burst: 2, retryAfter: seconds}}
 * </pre>
 */
public final class ScriptReader {

  private ScriptReader() {}

  /**
   * @throws ScriptException naming the rule and the field
   */
  public static Script read(String text) {
    Object document;
    try {
      document = new Load(LoadSettings.builder().setLabel("script").build()).loadFromString(text);
    } catch (YamlEngineException e) {
      throw new ScriptException("the script is neither YAML nor JSON: " + e.getMessage());
    }
    if (document == null) {
      return Script.ALWAYS_OK;
    }
    Node root = Node.of("script", document, "default", "paths");
    Answer fallback = root.has("default") ? answer(root.child("default"), Answer.OK) : Answer.OK;
    List<PathScript> paths = new ArrayList<>();
    Set<String> seen = new HashSet<>();
    for (Object item : root.list("paths")) {
      PathScript path = path("paths[" + paths.size() + "]", item, fallback);
      if (!seen.add(path.path() + path.prefix())) {
        throw new ScriptException(
            "paths[" + paths.size() + "].path: '" + path.path() + "' is there twice");
      }
      paths.add(path);
    }
    return new Script(paths, fallback);
  }

  private static PathScript path(String where, Object value, Answer fallback) {
    Node node = Node.of(where, value, "path", "rules");
    String path = node.text("path", "");
    int star = path.indexOf('*');
    if (!path.startsWith("/") || star >= 0 && star != path.length() - 1) {
      throw node.wrong(
          "path", "must begin with / and may end in * for everything that begins with it");
    }
    List<Rule> rules = new ArrayList<>();
    for (Object item : node.list("rules")) {
      String ruleWhere = where + " '" + path + "' rules[" + rules.size() + "]";
      Node rule = Node.of(ruleWhere, item, "match", "answer");
      Match match = rule.has("match") ? match(rule.child("match")) : Match.ALWAYS;
      if (!rule.has("answer")) {
        throw rule.wrong("answer", "is missing; {} is the plain 200");
      }
      rules.add(new Rule(match, answer(rule.child("answer"), fallback)));
    }
    return star < 0
        ? new PathScript(path, false, rules)
        : new PathScript(path.substring(0, star), true, rules);
  }

  private static Match match(Located located) {
    Node node = located.with("every", "first", "from", "until", "attempt", "always");
    if (node.has("always") && !Boolean.TRUE.equals(node.value("always"))) {
      throw node.wrong("always", "can only be true; leave it out otherwise");
    }
    return new Match(
        node.number("every", Match.UNSET, 1, Integer.MAX_VALUE),
        node.number("first", Match.UNSET, 1, Integer.MAX_VALUE),
        node.durationMs("from", Match.UNSET),
        node.durationMs("until", Match.UNSET),
        node.number("attempt", Match.UNSET, 1, Integer.MAX_VALUE));
  }

  private static Answer answer(Located located, Answer fallback) {
    Node node =
        located.with(
            "status",
            "headers",
            "body",
            "delay",
            "drip",
            "resetAfterReading",
            "closeBeforeAnswer",
            "hang",
            "rateLimit");
    return new Answer(
        (int) node.number("status", fallback.status(), 200, 999),
        headers(node),
        node.text("body", ""),
        node.durationMs("delay", 0),
        node.has("drip") ? drip(node.child("drip")) : null,
        ending(node),
        node.has("rateLimit") ? limit(node.child("rateLimit")) : null);
  }

  private static Map<String, String> headers(Node node) {
    Map<String, String> headers = new LinkedHashMap<>();
    if (node.has("headers")) {
      Node given = node.child("headers").withAny();
      for (String name : given.names()) {
        headers.put(name, given.text(name, ""));
      }
    }
    return headers;
  }

  private static Drip drip(Located located) {
    Node node = located.with("bytes", "every");
    return new Drip(
        (int) node.number("bytes", 1, 1, 1 << 20), Math.max(1, node.durationMs("every", 100)));
  }

  private static Ending ending(Node node) {
    Ending ending = Ending.ANSWER;
    String chosen = "";
    for (Map.Entry<String, Ending> word :
        Map.of(
                "resetAfterReading", Ending.RESET,
                "closeBeforeAnswer", Ending.CLOSE,
                "hang", Ending.HANG)
            .entrySet()) {
      if (!node.flag(word.getKey())) {
        continue;
      }
      if (ending != Ending.ANSWER) {
        throw node.wrong(word.getKey(), "can't stand beside " + chosen);
      }
      ending = word.getValue();
      chosen = word.getKey();
    }
    return ending;
  }

  private static RateLimit limit(Located located) {
    Node node = located.with("rate", "burst", "retryAfter");
    Rate rate;
    try {
      rate = Rate.parse(node.text("rate", ""));
    } catch (IllegalArgumentException e) {
      throw node.wrong("rate", String.valueOf(e.getMessage()));
    }
    if (rate.isUnlimited() || rate.isZero()) {
      throw node.wrong("rate", "must be a rate such as 5/s; leave rateLimit out for none");
    }
    RetryAfterForm form = RetryAfterForm.SECONDS;
    if (node.has("retryAfter")) {
      String word = node.text("retryAfter", "");
      try {
        form = RetryAfterForm.valueOf(word.toUpperCase(Locale.ROOT));
      } catch (IllegalArgumentException e) {
        throw node.wrong("retryAfter", "is seconds, date or none, not '" + word + "'");
      }
    }
    return new RateLimit(rate, (int) node.number("burst", 1, 1, 1_000_000), form);
  }

  /** A value and where it stands, not yet known to be a map. */
  private record Located(String where, @Nullable Object value) {

    Node with(String... allowed) {
      return Node.of(where, value, allowed);
    }

    Node withAny() {
      return Node.of(where, value);
    }
  }

  /** A map of the document that knows where it stands. */
  private static final class Node {

    private final String where;
    private final Map<String, @Nullable Object> fields;

    private Node(String where, Map<String, @Nullable Object> fields) {
      this.where = where;
      this.fields = fields;
    }

    /** Refuses names that are not {@code allowed}; none given allows all. */
    static Node of(String where, @Nullable Object value, String... allowed) {
      if (!(value instanceof Map<?, ?> map)) {
        throw new ScriptException(where + ": must be a map, was " + describe(value));
      }
      Map<String, @Nullable Object> fields = new LinkedHashMap<>();
      for (Map.Entry<?, ?> field : map.entrySet()) {
        String name = String.valueOf(field.getKey());
        if (allowed.length > 0 && !List.of(allowed).contains(name)) {
          throw new ScriptException(
              where + "." + name + ": is unknown; allowed: " + String.join(", ", allowed));
        }
        fields.put(name, field.getValue());
      }
      return new Node(where, fields);
    }

    boolean has(String name) {
      return fields.containsKey(name);
    }

    Set<String> names() {
      return fields.keySet();
    }

    @Nullable Object value(String name) {
      return fields.get(name);
    }

    Located child(String name) {
      return new Located(where + "." + name, fields.get(name));
    }

    List<?> list(String name) {
      Object value = fields.get(name);
      if (value == null) {
        return List.of();
      }
      if (value instanceof List<?> list) {
        return list;
      }
      throw wrong(name, "must be a list, was " + describe(value));
    }

    String text(String name, String otherwise) {
      Object value = fields.get(name);
      if (value == null) {
        return otherwise;
      }
      if (value instanceof Map<?, ?> || value instanceof List<?>) {
        throw wrong(name, "must be text, was " + describe(value));
      }
      return String.valueOf(value);
    }

    boolean flag(String name) {
      Object value = fields.get(name);
      if (value == null || value instanceof Boolean) {
        return Boolean.TRUE.equals(value);
      }
      throw wrong(name, "must be true or false, was " + describe(value));
    }

    long number(String name, long otherwise, long low, long high) {
      Object value = fields.get(name);
      if (value == null) {
        return otherwise;
      }
      if ((value instanceof Integer || value instanceof Long)
          && ((Number) value).longValue() >= low
          && ((Number) value).longValue() <= high) {
        return ((Number) value).longValue();
      }
      throw wrong(
          name, "must be a whole number, " + low + " to " + high + ", was " + describe(value));
    }

    long durationMs(String name, long otherwise) {
      if (fields.get(name) == null) {
        return otherwise;
      }
      try {
        return Durations.parseMs(text(name, ""));
      } catch (IllegalArgumentException e) {
        throw wrong(name, String.valueOf(e.getMessage()));
      }
    }

    ScriptException wrong(String name, String problem) {
      return new ScriptException(where + "." + name + ": " + problem);
    }

    private static String describe(@Nullable Object value) {
      if (value == null) {
        return "empty";
      }
      return value instanceof Map<?, ?>
          ? "a map"
          : value instanceof List<?> ? "a list" : "'" + value + "'";
    }
  }
}
