package dev.weir.api.http;

import io.vertx.core.MultiMap;
import io.vertx.core.buffer.Buffer;
import java.util.Map;
import java.util.Optional;

/**
 * A request, read whole.
 *
 * @param path path parameters by name, decoded
 * @param query query parameters by name, decoded; each is described and given at most once
 * @param body empty when the operation takes none
 */
public record Call(
    Map<String, String> path, Map<String, String> query, MultiMap headers, Buffer body) {

  public String path(String name) {
    String value = path.get(name);
    if (value == null) {
      throw new IllegalStateException("the OpenAPI file has no path parameter '" + name + "' here");
    }
    return value;
  }

  public Optional<String> query(String name) {
    return Optional.ofNullable(query.get(name));
  }

  /** The body as a JSON object. */
  public JsonFields json() {
    return JsonFields.read(body);
  }
}
