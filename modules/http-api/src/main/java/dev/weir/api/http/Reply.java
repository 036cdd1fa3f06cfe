package dev.weir.api.http;

import io.vertx.core.buffer.Buffer;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * An answer, ready to be written.
 *
 * @param contentType null when there is no body
 */
public record Reply(
    int status, @Nullable String contentType, Buffer body, Map<String, String> headers) {

  public Reply {
    headers = Map.copyOf(headers);
  }

  public Reply(int status, @Nullable String contentType, Buffer body) {
    this(status, contentType, body, Map.of());
  }

  public static Reply json(int status, Consumer<JsonWriter> body) {
    return new Reply(status, "application/json", JsonWriter.object(body));
  }

  public static Reply noContent() {
    return new Reply(204, null, Buffer.buffer());
  }

  public Reply with(String header, String value) {
    Map<String, String> more = new HashMap<>(headers);
    more.put(header, value);
    return new Reply(status, contentType, body, more);
  }
}
