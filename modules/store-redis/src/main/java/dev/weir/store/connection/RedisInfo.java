package dev.weir.store.connection;

import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The reply to INFO, by field. */
record RedisInfo(Map<String, String> fields) {

  static RedisInfo parse(String text) {
    Map<String, String> fields = new HashMap<>();
    text.lines()
        .filter(line -> !line.startsWith("#"))
        .forEach(
            line -> {
              int colon = line.indexOf(':');
              if (colon > 0) {
                fields.put(line.substring(0, colon), line.substring(colon + 1).strip());
              }
            });
    return new RedisInfo(Map.copyOf(fields));
  }

  @Nullable String text(String field) {
    return fields.get(field);
  }

  /** A count or size; {@code absent} where this server doesn't tell it. */
  long number(String field, long absent) {
    String text = fields.get(field);
    return text != null && text.matches("\\d{1,18}") ? Long.parseLong(text) : absent;
  }
}
