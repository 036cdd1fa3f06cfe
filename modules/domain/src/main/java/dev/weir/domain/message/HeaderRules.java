package dev.weir.domain.message;

import java.util.HashSet;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/**
 * Which headers a producer or a subscriber may set. Names are RFC 9110 tokens (§5.6.2); values are
 * visible ASCII with blanks and tabs inside (§5.5, without the obsolete 8-bit text, which clients
 * and servers read differently).
 */
public final class HeaderRules {

  /** Lower case. Each is the transport's to set, or carries what Weir itself promises. */
  private static final Set<String> RESERVED =
      Set.of(
          "host",
          "content-length",
          "transfer-encoding",
          "connection",
          "keep-alive",
          "proxy-connection",
          "proxy-authenticate",
          "proxy-authorization",
          "te",
          "trailer",
          "upgrade",
          "expect",
          "idempotency-key");

  private static final String RESERVED_PREFIX = "weir-";

  private HeaderRules() {}

  /**
   * Checks a set of headers: names, values, no name twice in different case, total size.
   *
   * @param field names the set in errors, such as {@code headers}
   * @throws IllegalArgumentException naming the header and the rule
   */
  public static void require(String field, Map<String, String> headers) {
    Set<String> seen = new HashSet<>();
    long bytes = 0;
    for (Map.Entry<String, String> header : headers.entrySet()) {
      requireName(field, header.getKey());
      requireValue(field + "." + header.getKey(), header.getValue());
      if (!seen.add(header.getKey().toLowerCase(Locale.ROOT))) {
        throw new IllegalArgumentException(
            field + " holds '" + header.getKey() + "' twice; case makes no difference");
      }
      bytes += header.getKey().length() + header.getValue().length();
    }
    if (bytes > Envelope.MAX_HEADER_BYTES) {
      throw new IllegalArgumentException(
          field + " are " + bytes + " bytes together; the limit is " + Envelope.MAX_HEADER_BYTES);
    }
  }

  /** Whether the name is Weir's or the transport's to set; case makes no difference. */
  public static boolean isReserved(String name) {
    String lower = name.toLowerCase(Locale.ROOT);
    return lower.startsWith(RESERVED_PREFIX) || RESERVED.contains(lower);
  }

  public static void requireName(String field, String name) {
    if (name.isEmpty() || !name.chars().allMatch(HeaderRules::isTokenChar)) {
      throw new IllegalArgumentException(
          field
              + " holds a name that is no RFC 9110 token (letters, digits and !#$%&'*+-.^_`|~): '"
              + name.replaceAll("[^ -~]", "?")
              + "'");
    }
    if (isReserved(name)) {
      throw new IllegalArgumentException(
          field + " must not set '" + name + "': Weir sets it itself, or the connection does");
    }
  }

  public static void requireValue(String field, String value) {
    for (int i = 0; i < value.length(); i++) {
      char c = value.charAt(i);
      if (c != '\t' && (c < ' ' || c > '~')) {
        throw new IllegalArgumentException(
            String.format(
                Locale.ROOT,
                "%s holds U+%04X at position %d; only visible ASCII, blanks and tabs are allowed",
                field,
                (int) c,
                i));
      }
    }
    if (!value.isEmpty()
        && (isBlank(value.charAt(0)) || isBlank(value.charAt(value.length() - 1)))) {
      throw new IllegalArgumentException(field + " must not begin or end with a blank");
    }
  }

  private static boolean isBlank(char c) {
    return c == ' ' || c == '\t';
  }

  private static boolean isTokenChar(int c) {
    return c >= 'a' && c <= 'z'
        || c >= 'A' && c <= 'Z'
        || c >= '0' && c <= '9'
        || "!#$%&'*+-.^_`|~".indexOf(c) >= 0;
  }
}
