package dev.weir.app.config;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Where the API listens. Only loopback: without tokens, whoever reaches the API may publish, read
 * and delete everything, so being reachable from elsewhere is refused rather than warned about.
 *
 * @param host a name or address that is loopback, IPv6 without brackets
 * @param port 0 to 65535; 0 takes a free one, which the ready line names
 */
public record ListenAddress(String host, int port) {

  private static final Pattern FORM =
      Pattern.compile("(\\[[0-9a-fA-F:.]+]|[^:\\[\\]\\s/]+):(\\d{1,5})");

  /** Throws {@link IllegalArgumentException} saying what is allowed. */
  public static ListenAddress parse(String text) {
    Matcher form = FORM.matcher(text);
    if (!form.matches() || Integer.parseInt(form.group(2)) > 65_535) {
      throw new IllegalArgumentException(
          "must be HOST:PORT such as 127.0.0.1:8080 or [::1]:8080, was '" + text + "'");
    }
    String host = form.group(1).replaceAll("[\\[\\]]", "");
    requireLoopback(host);
    return new ListenAddress(host, Integer.parseInt(form.group(2)));
  }

  private static void requireLoopback(String host) {
    try {
      for (InetAddress address : InetAddress.getAllByName(host)) {
        if (!address.isLoopbackAddress()) {
          throw new IllegalArgumentException(
              host
                  + " can be reached from other machines, and Weir has no access tokens yet;"
                  + " listen on 127.0.0.1 and put an authenticating proxy in front");
        }
      }
    } catch (UnknownHostException e) {
      throw new IllegalArgumentException("no address is known for the host '" + host + "'", e);
    }
  }

  /** As in a URL. */
  public String authority(int actualPort) {
    return (host.indexOf(':') < 0 ? host : "[" + host + "]") + ":" + actualPort;
  }

  @Override
  public String toString() {
    return authority(port);
  }
}
