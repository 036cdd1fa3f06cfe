package dev.weir.api;

import dev.weir.api.http.Call;
import dev.weir.api.http.JsonFields;
import dev.weir.api.http.Problem;
import dev.weir.domain.message.DeliveryId;
import dev.weir.domain.message.Escaping;
import dev.weir.domain.message.MessageId;
import java.util.Optional;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Ids and versions of requests: their bounds, and problems that name the field. */
final class Ids {

  private static final String VERSION_LIMIT = "0 to " + Long.MAX_VALUE;
  private static final Pattern VERSION = Pattern.compile("0|[1-9]\\d{0,18}");

  private Ids() {}

  static String message(String field, String id) {
    return bounded(field, id, MessageId.MAX_ID_BYTES);
  }

  static String subscriber(String field, String id) {
    return bounded(field, id, DeliveryId.MAX_SUBSCRIBER_BYTES);
  }

  /** As {@link #subscriber}, for one that is to be created; a quota's id likewise. */
  static String newName(String field, String id) {
    return requireSegment(field, subscriber(field, id));
  }

  /** Clients take these out of a path even when their dots are escaped. */
  static String requireSegment(String field, String id) {
    if (id.equals(".") || id.equals("..")) {
      throw Problem.invalid(
              field, "not '.' or '..'", field + " must not be '" + id + "': no URL can name it")
          .refused();
    }
    return id;
  }

  private static String bounded(String field, String id, int maxBytes) {
    return JsonFields.checkedField(
        field,
        "1 to " + maxBytes + " bytes of UTF-8",
        () -> {
          Escaping.requireId(field, id, maxBytes);
          return id;
        });
  }

  static long version(String field, String text) {
    try {
      if (VERSION.matcher(text).matches()) {
        return Long.parseLong(text);
      }
    } catch (NumberFormatException above) {
      // Nineteen digits may be more than a long holds: the same answer.
    }
    throw Problem.invalid(field, VERSION_LIMIT, field + " must be a whole number, " + VERSION_LIMIT)
        .refused();
  }

  /** The message that a path and {@code ?version=} name. */
  static MessageId message(Call call, String parameter) {
    Optional<Long> version = call.query("version").map(text -> version("version", text));
    return new MessageId(message(parameter, call.path(parameter)), version.orElse(null));
  }

  static DeliveryId delivery(Call call) {
    return new DeliveryId(
        message(call, "message"), subscriber("subscriber", call.path("subscriber")));
  }

  /** The delivery that a JSON request names. */
  static DeliveryId delivery(JsonFields fields) {
    return new DeliveryId(
        new MessageId(message("message", fields.requiredText("message")), version(fields)),
        subscriber("subscriber", fields.requiredText("subscriber")));
  }

  static @Nullable Long version(JsonFields fields) {
    return fields.integer("version", 0, Long.MAX_VALUE).orElse(null);
  }
}
