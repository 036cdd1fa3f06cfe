package dev.weir.domain.message;

import java.net.URI;
import org.jspecify.annotations.Nullable;

/**
 * The path (and query) that a message appends to its subscriber's endpoint. It can add to the
 * endpoint's path but never leave its host or climb out of its prefix.
 */
public final class Path {

  public static final int MAX_CHARS = 2_048;

  private Path() {}

  /**
   * Checks what a producer gave: begins with one {@code /}, visible ASCII without {@code #} and
   * {@code \}, whole percent escapes, and no {@code ..} segment, escaped or not.
   *
   * @throws IllegalArgumentException naming the field and the rule
   */
  public static void require(String path) {
    if (path.length() > MAX_CHARS) {
      throw refused("is " + path.length() + " characters; the limit is " + MAX_CHARS);
    }
    if (!path.startsWith("/")) {
      throw refused("must begin with '/'");
    }
    if (path.startsWith("//")) {
      throw refused("must not begin with '//', which would name another host");
    }
    for (int i = 0; i < path.length(); i++) {
      requireChar(path, i);
    }
    requireNoClimb(path);
  }

  /**
   * The request target (RFC 9112 §3.2.1, origin form) of an attempt: the endpoint's path, then
   * {@code path}, then both queries.
   *
   * @param path as {@link #require} takes it; null appends nothing
   */
  public static String target(URI endpoint, @Nullable String path) {
    String base = endpoint.getRawPath() == null ? "" : endpoint.getRawPath();
    String baseQuery = endpoint.getRawQuery();
    if (path == null) {
      return withQuery(base.isEmpty() ? "/" : base, baseQuery);
    }
    int mark = path.indexOf('?');
    String added = mark < 0 ? path : path.substring(0, mark);
    String addedQuery = mark < 0 ? null : path.substring(mark + 1);
    String stem = base.endsWith("/") ? base.substring(0, base.length() - 1) : base;
    return withQuery(stem + added, join(baseQuery, addedQuery));
  }

  private static void requireChar(String path, int index) {
    char c = path.charAt(index);
    if (c <= ' ' || c >= 0x7F) {
      throw refused(
          "holds a blank, control or non-ASCII character at position "
              + index
              + "; percent-encode it");
    }
    if (c == '#') {
      throw refused("must not hold a fragment ('#'); write %23 for the character");
    }
    if (c == '\\') {
      throw refused("must not hold '\\', which some servers read as '/'; write %5C");
    }
    if (c == '%' && !(isHex(path, index + 1) && isHex(path, index + 2))) {
      throw refused("holds a '%' at position " + index + " without two hex digits after it");
    }
  }

  private static void requireNoClimb(String path) {
    int mark = path.indexOf('?');
    String hierarchy = mark < 0 ? path : path.substring(0, mark);
    // Servers differ on escaped dots, slashes and path parameters: judge the most daring reading.
    String daring = hierarchy.replaceAll("%2[eE]", ".").replaceAll("%(2[fF]|5[cC])", "/");
    for (String segment : daring.split("/", -1)) {
      if (segment.equals("..") || segment.startsWith("..;")) {
        throw refused("must not hold a '..' segment");
      }
    }
  }

  private static boolean isHex(String text, int index) {
    return index < text.length() && Character.digit(text.charAt(index), 16) >= 0;
  }

  private static String withQuery(String path, @Nullable String query) {
    return query == null ? path : path + "?" + query;
  }

  private static @Nullable String join(@Nullable String left, @Nullable String right) {
    if (left == null || left.isEmpty()) {
      return right == null ? left : right;
    }
    return right == null || right.isEmpty() ? left : left + "&" + right;
  }

  private static IllegalArgumentException refused(String rule) {
    return new IllegalArgumentException("path " + rule);
  }
}
