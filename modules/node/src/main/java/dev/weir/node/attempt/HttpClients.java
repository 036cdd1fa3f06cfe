package dev.weir.node.attempt;

import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpClientAgent;
import io.vertx.core.http.HttpClientOptions;
import io.vertx.core.http.PoolOptions;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

/**
 * One HTTP client per event loop, shared by all subscribers on it: connections stay on the loop
 * that uses them, and their number is bounded by the attempts under way, not by the subscribers.
 *
 * <p>What the application must set on Vert.x itself, since a client can't: a negative DNS cache of
 * at most 2 s ({@code AddressResolverOptions.setCacheNegativeTimeToLive}), or a name that was
 * repaired stays broken for its deliveries.
 */
public final class HttpClients {

  /** Below what common servers allow (Node 5 s excepted), so that few idle ones are found dead. */
  private static final int KEEP_ALIVE_SECONDS = 15;

  static final Duration MAX_CONNECT = Duration.ofSeconds(10);

  private final List<HttpClientAgent> clients;
  private final Map<Thread, HttpClientAgent> byLoop = new ConcurrentHashMap<>();
  private final AtomicInteger next = new AtomicInteger();

  /**
   * Makes the clients now and here: one that were made inside a verticle would be closed with it.
   *
   * @param loops event loops of Vert.x
   * @param maxPerEndpoint connections to one host and port per event loop; not less than the
   *     attempts that may be under way, so that a subscriber's own cap is what bounds it
   */
  public HttpClients(Vertx vertx, int loops, int maxPerEndpoint) {
    this.clients =
        IntStream.range(0, loops).mapToObj(loop -> create(vertx, maxPerEndpoint)).toList();
  }

  /** The client of the event loop that calls: a loop is one thread for as long as it lives. */
  public HttpClientAgent here() {
    return byLoop.computeIfAbsent(
        Thread.currentThread(),
        first -> clients.get(Math.floorMod(next.getAndIncrement(), clients.size())));
  }

  /** Closes all of them, with the connections that are still open. */
  public Future<Void> close() {
    List<Future<Void>> closing = clients.stream().map(HttpClientAgent::close).toList();
    return Future.join(closing).mapEmpty();
  }

  private static HttpClientAgent create(Vertx vertx, int maxPerEndpoint) {
    HttpClientOptions options =
        new HttpClientOptions()
            .setKeepAlive(true)
            .setKeepAliveTimeout(KEEP_ALIVE_SECONDS)
            .setConnectTimeout((int) MAX_CONNECT.toMillis())
            .setTcpNoDelay(true)
            .setDecompressionSupported(false);
    PoolOptions pool =
        new PoolOptions().setHttp1MaxSize(maxPerEndpoint).setMaxWaitQueueSize(maxPerEndpoint);
    return vertx.createHttpClient(options, pool);
  }
}
