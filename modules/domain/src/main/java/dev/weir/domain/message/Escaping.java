package dev.weir.domain.message;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;

/**
 * Percent-escaping of ids (RFC 3986 §2.1, unreserved characters stand for themselves), so that a
 * joined key can be read back, is ASCII, and fits a URL segment, a header and a Redis key alike.
 */
public final class Escaping {

  private static final String HEX = "0123456789ABCDEF";

  private Escaping() {}

  public static String escape(String id) {
    byte[] bytes = id.getBytes(StandardCharsets.UTF_8);
    StringBuilder out = new StringBuilder(bytes.length + 8);
    for (byte b : bytes) {
      if (isUnreserved(b)) {
        out.append((char) b);
      } else {
        out.append('%').append(HEX.charAt((b >> 4) & 0xF)).append(HEX.charAt(b & 0xF));
      }
    }
    return out.toString();
  }

  /**
   * The inverse of {@link #escape}; throws {@link IllegalArgumentException} on what it never
   * writes.
   */
  public static String unescape(String escaped) {
    ByteArrayOutputStream out = new ByteArrayOutputStream(escaped.length());
    for (int i = 0; i < escaped.length(); i++) {
      char c = escaped.charAt(i);
      if (c != '%') {
        if (c > 0x7F || !isUnreserved((byte) c)) {
          throw new IllegalArgumentException("not an escaped id: '" + escaped + "'");
        }
        out.write(c);
        continue;
      }
      int high = i + 2 < escaped.length() ? HEX.indexOf(escaped.charAt(i + 1)) : -1;
      int low = i + 2 < escaped.length() ? HEX.indexOf(escaped.charAt(i + 2)) : -1;
      if (high < 0 || low < 0) {
        throw new IllegalArgumentException("broken percent escape in '" + escaped + "'");
      }
      out.write(high << 4 | low);
      i += 2;
    }
    try {
      return StandardCharsets.UTF_8
          .newDecoder()
          .onMalformedInput(CodingErrorAction.REPORT)
          .decode(ByteBuffer.wrap(out.toByteArray()))
          .toString();
    } catch (CharacterCodingException e) {
      throw new IllegalArgumentException("not UTF-8 once unescaped: '" + escaped + "'", e);
    }
  }

  /**
   * Throws {@link IllegalArgumentException} naming {@code field} unless {@code id} is 1..max bytes.
   */
  public static void requireId(String field, String id, int maxBytes) {
    if (id.isEmpty()) {
      throw new IllegalArgumentException(field + " must not be empty");
    }
    if (!StandardCharsets.UTF_8.newEncoder().canEncode(id)) {
      throw new IllegalArgumentException(
          field + " holds a lone surrogate, which UTF-8 can't carry");
    }
    int length = id.getBytes(StandardCharsets.UTF_8).length;
    if (length > maxBytes) {
      throw new IllegalArgumentException(
          field + " is " + length + " bytes of UTF-8; the limit is " + maxBytes);
    }
  }

  private static boolean isUnreserved(byte b) {
    return b >= 'a' && b <= 'z'
        || b >= 'A' && b <= 'Z'
        || b >= '0' && b <= '9'
        || b == '-'
        || b == '.'
        || b == '_'
        || b == '~';
  }
}
