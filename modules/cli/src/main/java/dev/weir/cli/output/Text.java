package dev.weir.cli.output;

import io.vertx.core.json.JsonObject;
import org.jspecify.annotations.Nullable;

/** Text from outside, made safe to print. */
public final class Text {

  static final String ABSENT = "-";

  private Text() {}

  /**
   * Control characters (and the bidirectional overrides) become {@code \}{@code uXXXX}: an id or an
   * endpoint's answer must not move the cursor, colour the terminal or break a table.
   */
  public static String printable(String text) {
    StringBuilder out = new StringBuilder(text.length());
    text.codePoints()
        .forEach(
            point -> {
              if (isHarmful(point)) {
                out.append(String.format("\\u%04x", point));
              } else {
                out.appendCodePoint(point);
              }
            });
    return out.toString();
  }

  private static boolean isHarmful(int point) {
    return Character.isISOControl(point)
        || (point >= 0x202A && point <= 0x202E)
        || (point >= 0x2066 && point <= 0x2069)
        || point == 0x2028
        || point == 0x2029;
  }

  /** A field as text, {@code -} when it is absent or null. */
  public static String field(JsonObject from, String field) {
    return orAbsent(from.getValue(field));
  }

  public static String orAbsent(@Nullable Object value) {
    return value == null ? ABSENT : value.toString();
  }
}
