package dev.weir.api.http;

import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpMethod;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;

/** The OpenAPI file: what the router is built from. A file that can't be read so is a fault. */
public final class OpenApi {

  private static final String RESOURCE = "/dev/weir/api/openapi.yaml";

  private static final Set<String> METHODS = Set.of("get", "put", "post", "delete");

  private final Buffer text;
  private final Map<?, ?> root;
  private final List<Endpoint> endpoints;

  private OpenApi(Buffer text) {
    this.text = text;
    LoadSettings settings = LoadSettings.builder().setLabel(RESOURCE).build();
    this.root = map(new Load(settings).loadFromString(text.toString(StandardCharsets.UTF_8)));
    this.endpoints = readEndpoints();
  }

  public static OpenApi load() {
    try (InputStream file = OpenApi.class.getResourceAsStream(RESOURCE)) {
      if (file == null) {
        throw new IllegalStateException(RESOURCE + " is missing from the jar");
      }
      return new OpenApi(Buffer.buffer(file.readAllBytes()));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The file as it is. */
  public Buffer text() {
    return text.copy();
  }

  List<Endpoint> endpoints() {
    return endpoints;
  }

  private List<Endpoint> readEndpoints() {
    List<Endpoint> found = new ArrayList<>();
    map(root.get("paths"))
        .forEach(
            (path, item) -> {
              for (Map.Entry<?, ?> entry : map(item).entrySet()) {
                if (METHODS.contains(entry.getKey())) {
                  found.add(
                      endpoint(path.toString(), map(item), entry.getKey(), map(entry.getValue())));
                }
              }
            });
    return List.copyOf(found);
  }

  private Endpoint endpoint(String path, Map<?, ?> item, Object method, Map<?, ?> operation) {
    Set<String> query = new LinkedHashSet<>();
    addQueryParameters(item.get("parameters"), query);
    addQueryParameters(operation.get("parameters"), query);
    Object body = operation.get("requestBody");
    return new Endpoint(
        text(operation, "operationId"),
        HttpMethod.valueOf(method.toString().toUpperCase(Locale.ROOT)),
        List.of(path.substring(1).split("/", -1)),
        query,
        body == null ? null : json(map(body)),
        body == null ? null : raw(map(body)));
  }

  private void addQueryParameters(@Nullable Object parameters, Set<String> query) {
    if (parameters == null) {
      return;
    }
    for (Object parameter : (List<?>) parameters) {
      Map<?, ?> resolved = resolve(map(parameter));
      if (text(resolved, "in").equals("query")) {
        query.add(text(resolved, "name"));
      }
    }
  }

  private static Endpoint.Body json(Map<?, ?> body) {
    return new Endpoint.Body(
        number(body, "x-max-bytes"), Boolean.TRUE.equals(body.get("required")));
  }

  private static Endpoint.@Nullable RawBody raw(Map<?, ?> body) {
    Object form = map(body.get("content")).get("*/*");
    return form == null
        ? null
        : new Endpoint.RawBody(text(map(form), "x-when-header"), number(map(form), "x-max-bytes"));
  }

  /** Follows a {@code $ref} within this file. */
  private Map<?, ?> resolve(Map<?, ?> node) {
    Object reference = node.get("$ref");
    if (reference == null) {
      return node;
    }
    Map<?, ?> found = root;
    for (String step : reference.toString().substring(2).split("/", -1)) {
      found = map(found.get(step));
    }
    return found;
  }

  private static Map<?, ?> map(@Nullable Object node) {
    if (node instanceof Map<?, ?> map) {
      return map;
    }
    throw new IllegalStateException(RESOURCE + " has '" + node + "' where a mapping belongs");
  }

  private static String text(Map<?, ?> node, String name) {
    if (node.get(name) instanceof String text) {
      return text;
    }
    throw new IllegalStateException(RESOURCE + " lacks the text '" + name + "' in " + node);
  }

  private static int number(Map<?, ?> node, String name) {
    if (node.get(name) instanceof Integer number) {
      return number;
    }
    throw new IllegalStateException(RESOURCE + " lacks the number '" + name + "' in " + node);
  }
}
