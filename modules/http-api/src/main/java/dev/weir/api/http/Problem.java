package dev.weir.api.http;

import dev.weir.protocol.store.StoreException;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * An error as RFC 9457 writes it.
 *
 * @param detail what was wrong, where, and what to do
 * @param field the field, parameter or header that was wrong
 * @param limit what is allowed
 * @param place where malformed JSON broke
 * @param subscribers those that it is about; at most 100 are written
 */
public record Problem(
    Kind kind,
    String detail,
    @Nullable String field,
    @Nullable String limit,
    @Nullable Place place,
    List<String> subscribers) {

  private static final int MAX_SUBSCRIBERS = 100;

  /** Line and column, from 1. */
  public record Place(int line, int column) {}

  /** The one table from what happened to a status. */
  public enum Kind {
    INVALID(400, "Invalid request"),
    MALFORMED(400, "Not JSON"),
    NOT_FOUND(404, "Not found"),
    METHOD_NOT_ALLOWED(405, "Method not allowed"),
    TIMEOUT(408, "Request took too long"),
    CONFLICT(409, "Not possible in its present state"),
    TOO_LARGE(413, "Too large"),
    URI_TOO_LONG(414, "Request line too long"),
    UNSUPPORTED_MEDIA_TYPE(415, "Unsupported media type"),
    IDEMPOTENCY_KEY_REUSED(422, "Idempotency key of another request"),
    HEADERS_TOO_LARGE(431, "Headers too large"),
    BROKEN(500, "Fault of the node"),
    UNAVAILABLE(503, "Store unavailable"),
    FULL(503, "Store full");

    private final int status;
    private final String title;

    Kind(int status, String title) {
      this.status = status;
      this.title = title;
    }

    public int status() {
      return status;
    }
  }

  public static Problem of(Kind kind, String detail) {
    return new Problem(kind, detail, null, null, null, List.of());
  }

  public static Problem invalid(String field, @Nullable String limit, String detail) {
    return new Problem(Kind.INVALID, detail, field, limit, null, List.of());
  }

  public static Problem malformed(String detail, int line, int column) {
    return new Problem(
        Kind.MALFORMED,
        "line " + line + ", column " + column + ": " + detail,
        null,
        null,
        new Place(line, column),
        List.of());
  }

  public Problem about(String newField) {
    return new Problem(kind, detail, newField, limit, place, subscribers);
  }

  public Problem limitedTo(String newLimit) {
    return new Problem(kind, detail, field, newLimit, place, subscribers);
  }

  public Problem naming(List<String> these) {
    return new Problem(kind, detail, field, limit, place, these);
  }

  public Refused refused() {
    return new Refused(this);
  }

  /** What a failure comes to. */
  public static Problem of(Throwable failure) {
    if (failure instanceof Refused refused) {
      return refused.problem();
    }
    if (failure instanceof StoreException store) {
      return ofStore(store);
    }
    return of(Kind.BROKEN, "the node failed to answer this request; its log says more");
  }

  private static Problem ofStore(StoreException failure) {
    return switch (failure.kind()) {
      case UNAVAILABLE ->
          of(
              Kind.UNAVAILABLE,
              "the store does not answer; it is not known whether this happened. Repeat the"
                  + " request");
      case FULL ->
          of(
              Kind.FULL,
              "the store has no room for new messages; nothing was stored. Repeat the request"
                  + " later");
      case FENCED ->
          of(
              Kind.UNAVAILABLE,
              "a newer process has taken over this node's store; send the request to that one");
      case BROKEN ->
          of(Kind.BROKEN, "the store failed to carry this out; the node's log says more");
    };
  }

  /** As an answer; those worth repeating say when. */
  public Reply reply() {
    Reply reply =
        new Reply(kind.status, "application/problem+json", JsonWriter.object(this::write));
    return switch (kind) {
      case UNAVAILABLE -> reply.with("Retry-After", "1");
      case FULL -> reply.with("Retry-After", "5");
      default -> reply;
    };
  }

  private void write(JsonWriter json) {
    json.text("type", "urn:weir:problem:" + kind.name().toLowerCase(Locale.ROOT).replace('_', '-'))
        .text("title", kind.title)
        .number("status", kind.status)
        .text("detail", detail);
    if (field != null) {
      json.text("field", field);
    }
    if (limit != null) {
      json.text("limit", limit);
    }
    if (place != null) {
      json.number("line", place.line()).number("column", place.column());
    }
    if (!subscribers.isEmpty()) {
      json.texts("subscribers", subscribers.stream().limit(MAX_SUBSCRIBERS).toList());
    }
  }
}
