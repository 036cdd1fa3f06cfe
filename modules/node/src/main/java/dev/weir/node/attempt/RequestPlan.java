package dev.weir.node.attempt;

import dev.weir.domain.message.Envelope;
import dev.weir.domain.message.Escaping;
import dev.weir.domain.subscriber.Subscriber;
import dev.weir.protocol.store.DeliveryStore.Claimed;
import io.vertx.core.MultiMap;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.RequestOptions;
import io.vertx.core.net.SocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** How requests to one subscriber look: where they go and what they carry. Immutable. */
public final class RequestPlan {

  /** The connection's business, not the message's: a user's value would break the framing. */
  private static final Set<String> RESERVED =
      Set.of(
          "host",
          "connection",
          "content-length",
          "transfer-encoding",
          "keep-alive",
          "upgrade",
          "te",
          "trailer",
          "expect",
          "proxy-connection");

  private final Subscriber subscriber;
  private final String host;
  private final SocketAddress server;
  private final int port;
  private final boolean ssl;
  private final HttpMethod method;

  /** The target of a message without a path of its own. */
  private final String plainTarget;

  public RequestPlan(Subscriber subscriber) {
    URI endpoint = subscriber.endpoint();
    this.subscriber = subscriber;
    this.ssl = "https".equalsIgnoreCase(endpoint.getScheme());
    this.port = endpoint.getPort() >= 0 ? endpoint.getPort() : ssl ? 443 : 80;
    this.host = endpoint.getHost();
    // An IPv6 literal stands in brackets in the Host header and without in an address.
    String address = host.startsWith("[") ? host.substring(1, host.length() - 1) : host;
    this.server = SocketAddress.inetSocketAddress(port, address);
    this.method = HttpMethod.valueOf(subscriber.method());
    this.plainTarget = target(endpoint, null);
  }

  /** Where the request for a message goes, and how long it may take to get a connection. */
  RequestOptions options(Envelope envelope, long connectMs) {
    return new RequestOptions()
        .setServer(server)
        .setHost(host)
        .setPort(port)
        .setSsl(ssl)
        .setMethod(method)
        .setURI(
            envelope.path() == null ? plainTarget : target(subscriber.endpoint(), envelope.path()))
        .setConnectTimeout(connectMs)
        .setFollowRedirects(false);
  }

  /**
   * Subscriber's headers, then the message's, then ours; later ones win.
   *
   * @param headers of the request, written in place
   * @param sentAtEpochNanos written as {@code Weir-Sent-At} when the subscriber wants stamps
   */
  void writeHeaders(MultiMap headers, Claimed claimed, long sentAtEpochNanos, String nodeName) {
    putAll(headers, subscriber.headers());
    Envelope envelope = claimed.envelope();
    putAll(headers, envelope.headers());
    if (envelope.contentType() != null) {
      headers.set("Content-Type", envelope.contentType());
    }
    headers.set("Idempotency-Key", claimed.id().key());
    headers.set("Weir-Message-Id", Escaping.escape(claimed.id().message().id()));
    headers.set("Weir-Attempt", Integer.toString(claimed.attempt()));
    if (subscriber.stampAttempts()) {
      headers.set("Weir-Sent-At", Long.toString(sentAtEpochNanos));
      headers.set("Weir-Node", nodeName);
    }
  }

  private static void putAll(MultiMap headers, Map<String, String> more) {
    more.forEach(
        (name, value) -> {
          if (!RESERVED.contains(name.toLowerCase(Locale.ROOT))) {
            headers.set(name, value);
          }
        });
  }

  /**
   * The request target: the endpoint's path, then the message's, then both queries. It always
   * begins with exactly one slash, so that it can't be read as another host, and holds printable
   * ASCII only, so that it can't end the request line.
   */
  static String target(URI endpoint, @Nullable String path) {
    String base = endpoint.getRawPath() == null ? "" : endpoint.getRawPath();
    String more = path == null ? "" : path;
    int question = more.indexOf('?');
    String morePath = question < 0 ? more : more.substring(0, question);
    String moreQuery = question < 0 ? "" : more.substring(question + 1);
    String baseQuery = endpoint.getRawQuery() == null ? "" : endpoint.getRawQuery();
    String query =
        baseQuery.isEmpty() || moreQuery.isEmpty()
            ? baseQuery + moreQuery
            : baseQuery + "&" + moreQuery;
    String target = join(base, morePath) + (query.isEmpty() ? "" : "?" + query);
    return printable(target);
  }

  private static String join(String base, String path) {
    if (path.isEmpty()) {
      return withOneSlash(base);
    }
    String front = base.endsWith("/") ? base.substring(0, base.length() - 1) : base;
    return withOneSlash(front + (path.startsWith("/") ? path : "/" + path));
  }

  private static String withOneSlash(String path) {
    int start = 0;
    while (start < path.length() && path.charAt(start) == '/') {
      start++;
    }
    return "/" + path.substring(start);
  }

  private static String printable(String target) {
    StringBuilder safe = new StringBuilder(target.length());
    for (byte b : target.getBytes(StandardCharsets.UTF_8)) {
      if (b > ' ' && b < 127 && b != '#') {
        safe.append((char) b);
      } else {
        safe.append(String.format(Locale.ROOT, "%%%02X", b & 0xff));
      }
    }
    return safe.toString();
  }
}
