package dev.weir.api.http;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;

/** Percent-encoded text of paths, queries and headers (RFC 3986 §2.1), read strictly as UTF-8. */
public final class PercentText {

  private PercentText() {}

  /**
   * @throws Refused naming {@code field} when an escape is broken or the bytes are no UTF-8
   */
  public static String decode(String field, String text) {
    return decode(field, text, false);
  }

  /** As {@link #decode}, and {@code +} stands for a blank, as in a query that a form wrote. */
  static String decodeQuery(String field, String text) {
    return decode(field, text, true);
  }

  private static String decode(String field, String text, boolean plusIsBlank) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream(text.length());
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c == '%') {
        bytes.write(hex(field, text, i + 1) << 4 | hex(field, text, i + 2));
        i += 2;
      } else if (c == '+' && plusIsBlank) {
        bytes.write(' ');
      } else if (c > ' ' && c < 0x7F) {
        bytes.write(c);
      } else {
        throw refused(field, "holds a blank, control or non-ASCII character; percent-encode it");
      }
    }
    try {
      return StandardCharsets.UTF_8
          .newDecoder()
          .decode(ByteBuffer.wrap(bytes.toByteArray()))
          .toString();
    } catch (CharacterCodingException e) {
      throw refused(field, "is no UTF-8 once its percent escapes are read");
    }
  }

  private static int hex(String field, String text, int index) {
    int digit = index < text.length() ? Character.digit(text.charAt(index), 16) : -1;
    if (digit < 0) {
      throw refused(
          field, "holds a '%' without two hex digits after it; write %25 for the character");
    }
    return digit;
  }

  private static Refused refused(String field, String what) {
    return Problem.invalid(field, "percent-encoded UTF-8", field + " " + what).refused();
  }
}
