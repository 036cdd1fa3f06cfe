package dev.weir.store.connection;

import java.net.URI;
import java.net.URISyntaxException;
import java.net.URLDecoder;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * Where a Redis is and how to get in: {@code redis://[user:password@]host[:port][/db]}, or {@code
 * rediss://} for TLS. The password is in no {@code toString} and in no error.
 *
 * @param host a name, an IPv4 address, or an IPv6 address without brackets
 */
public record RedisUrl(
    boolean tls, String host, int port, @Nullable String user, @Nullable String password, int db) {

  private static final int DEFAULT_PORT = 6379;
  private static final String SHAPE =
      "redis://[user:password@]host[:port][/db] or rediss://… for TLS";

  public RedisUrl {
    if (host.isEmpty()) {
      throw new IllegalArgumentException("the Redis URL names no host; write " + SHAPE);
    }
    if (port < 1 || port > 65_535) {
      throw new IllegalArgumentException("the Redis port must be 1 to 65535, not " + port);
    }
    if (db < 0) {
      throw new IllegalArgumentException("the Redis db must be 0 or more, not " + db);
    }
    if (user != null && password == null) {
      throw new IllegalArgumentException(
          "the Redis URL has a user but no password; a password alone is written :password@host");
    }
  }

  /** A server on this machine, with the password of its default user. */
  public static RedisUrl local(int port, @Nullable String password) {
    return new RedisUrl(false, "127.0.0.1", port, null, password, 0);
  }

  /**
   * @throws IllegalArgumentException saying what is wrong and what is allowed
   */
  public static RedisUrl parse(String text) {
    URI uri = uri(text);
    boolean tls = tls(uri, text);
    if (uri.getHost() == null) {
      throw wrong(text, "names no host that can be one (letters, digits, '-' and '.')");
    }
    if (uri.getRawQuery() != null || uri.getRawFragment() != null) {
      throw wrong(text, "has a '?' or '#' part, which means nothing here");
    }
    Credentials in = credentials(uri.getRawUserInfo(), text);
    int port = uri.getPort() == -1 ? DEFAULT_PORT : uri.getPort();
    return new RedisUrl(tls, bare(uri.getHost()), port, in.user(), in.password(), db(uri, text));
  }

  /** For the client, which decodes it again. */
  String connectionString() {
    String credentials =
        password == null ? "" : (user == null ? "" : encoded(user)) + ":" + encoded(password) + "@";
    return scheme() + credentials + address() + "/" + db;
  }

  /** Host and port, as in a URL. */
  public String address() {
    return (host.indexOf(':') >= 0 ? "[" + host + "]" : host) + ":" + port;
  }

  @Override
  public String toString() {
    String credentials = password == null ? "" : (user == null ? "" : user) + ":***@";
    return scheme() + credentials + address() + "/" + db;
  }

  private String scheme() {
    return tls ? "rediss://" : "redis://";
  }

  private static URI uri(String text) {
    try {
      return new URI(text.strip());
    } catch (URISyntaxException e) {
      // The cause is left out on purpose: its message repeats the text, password and all.
      throw wrong(
          text,
          "is not a URL at character "
              + e.getIndex()
              + "; in a password, escape what is not a letter or digit as %XX");
    }
  }

  private static boolean tls(URI uri, String text) {
    if ("redis".equals(uri.getScheme())) {
      return false;
    }
    if ("rediss".equals(uri.getScheme())) {
      return true;
    }
    throw wrong(text, "begins with neither redis:// nor rediss://");
  }

  private static Credentials credentials(@Nullable String userInfo, String text) {
    if (userInfo == null) {
      return new Credentials(null, null);
    }
    int colon = userInfo.indexOf(':');
    if (colon < 0) {
      throw wrong(text, "has a user but no password; a password alone is written :password@host");
    }
    String user = decoded(userInfo.substring(0, colon));
    return new Credentials(user.isEmpty() ? null : user, decoded(userInfo.substring(colon + 1)));
  }

  private static int db(URI uri, String text) {
    String path = uri.getPath() == null ? "" : uri.getPath();
    if (path.isEmpty() || path.equals("/")) {
      return 0;
    }
    String digits = path.substring(1);
    if (!digits.matches("\\d{1,5}")) {
      throw wrong(text, "has '" + path + "' where the number of a db belongs, such as /0");
    }
    return Integer.parseInt(digits);
  }

  private static String bare(String host) {
    return host.startsWith("[") ? host.substring(1, host.length() - 1) : host;
  }

  private static String decoded(String raw) {
    // URLDecoder is for forms, where '+' is a space; in the user part of a URL it is a plus.
    return URLDecoder.decode(raw.replace("+", "%2B"), StandardCharsets.UTF_8);
  }

  private static String encoded(String plain) {
    return URLEncoder.encode(plain, StandardCharsets.UTF_8).replace("+", "%20");
  }

  private static IllegalArgumentException wrong(String text, String what) {
    return new IllegalArgumentException(
        "the Redis URL '" + redacted(text) + "' " + what + "; write " + SHAPE);
  }

  private static String redacted(String text) {
    int at = text.lastIndexOf('@');
    if (at < 0) {
      return text;
    }
    int start = text.indexOf("://");
    return (start < 0 || start > at ? "" : text.substring(0, start + 3))
        + "***"
        + text.substring(at);
  }

  private record Credentials(@Nullable String user, @Nullable String password) {}
}
