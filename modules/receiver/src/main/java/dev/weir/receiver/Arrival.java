package dev.weir.receiver;

import io.vertx.core.json.JsonObject;
import org.jspecify.annotations.Nullable;

/**
 * One request as the receiver saw it: a line of the arrivals log.
 *
 * @param seq 1 for the first of the process, without gaps
 * @param ns monotonic ({@link System#nanoTime()}) when the whole request was there
 * @param atMicros the same instant, epoch µs
 * @param key the {@code Idempotency-Key}
 * @param attempt the {@code Weir-Attempt}; 0 when it carries none
 * @param sentAtNs the {@code Weir-Sent-At}, epoch ns that the sender counts on its monotonic clock;
 *     {@value #NONE} when it carries none
 * @param node the {@code Weir-Node}
 * @param result the status that was chosen, or {@code reset}, {@code close}, {@code hang}
 * @param answeredNs monotonic, when the status line was written; {@value #NONE} when it was not
 *     (yet)
 */
public record Arrival(
    long seq,
    long ns,
    long atMicros,
    String path,
    String method,
    @Nullable String key,
    @Nullable String messageId,
    long attempt,
    long sentAtNs,
    @Nullable String node,
    String bodySha256,
    long bodyBytes,
    String result,
    long answeredNs) {

  public static final long NONE = -1;

  /** Whether the receiver told its client that it took the request. */
  public boolean accepted() {
    return answeredNs != NONE && result.length() == 3 && result.charAt(0) == '2';
  }

  /** Epoch µs of {@link #answeredNs}; {@value #NONE} when there was no answer. */
  public long answeredAtMicros() {
    return answeredNs == NONE ? NONE : atMicros + (answeredNs - ns) / 1_000;
  }

  public boolean hasStatus(int status) {
    return result.equals(String.valueOf(status));
  }

  Arrival answeredAt(long whenNs) {
    return new Arrival(
        seq,
        ns,
        atMicros,
        path,
        method,
        key,
        messageId,
        attempt,
        sentAtNs,
        node,
        bodySha256,
        bodyBytes,
        result,
        whenNs);
  }

  public JsonObject toJson() {
    JsonObject json =
        new JsonObject()
            .put("seq", seq)
            .put("ns", ns)
            .put("at", atMicros)
            .put("path", path)
            .put("method", method)
            .put("key", key)
            .put("messageId", messageId)
            .put("attempt", attempt)
            .put("sentAtNs", sentAtNs == NONE ? null : sentAtNs)
            .put("node", node)
            .put("bodySha256", bodySha256)
            .put("bodyBytes", bodyBytes);
    if (Character.isDigit(result.charAt(0))) {
      json.put("status", Integer.parseInt(result));
    } else {
      json.put("status", result);
    }
    return json.put("answeredNs", answeredNs == NONE ? null : answeredNs);
  }

  public static Arrival fromJson(JsonObject json) {
    return new Arrival(
        json.getLong("seq"),
        json.getLong("ns"),
        json.getLong("at"),
        json.getString("path"),
        json.getString("method"),
        json.getString("key"),
        json.getString("messageId"),
        json.getLong("attempt", 0L),
        orNone(json.getLong("sentAtNs")),
        json.getString("node"),
        json.getString("bodySha256"),
        json.getLong("bodyBytes"),
        String.valueOf(json.getValue("status")),
        orNone(json.getLong("answeredNs")));
  }

  private static long orNone(@Nullable Long value) {
    return value == null ? NONE : value;
  }
}
