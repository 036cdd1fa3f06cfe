package dev.weir.node;

import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.http.HttpServerRequest;
import java.net.URI;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BiConsumer;

/** A subscriber's API for tests: answers as told and keeps what arrived. Thread-safe. */
final class Endpoint {

  private final HttpServer server;
  private final List<Arrival> arrivals = new ArrayList<>();

  /** What one request carried. */
  record Arrival(
      String path,
      String key,
      int attempt,
      long sentAtNanos,
      long arrivedNanos,
      Map<String, String> headers,
      Buffer body) {}

  private Endpoint(Vertx vertx, BiConsumer<HttpServerRequest, Integer> answer) {
    this.server =
        vertx
            .createHttpServer(new HttpServerOptions().setHost("127.0.0.1").setPort(0))
            .requestHandler(
                request ->
                    request
                        .body()
                        .onSuccess(body -> answer.accept(request, arrived(request, body))));
  }

  /**
   * @param answer given each request, when its body is read, and its number, from 1
   */
  static Endpoint start(Vertx vertx, BiConsumer<HttpServerRequest, Integer> answer) {
    Endpoint endpoint = new Endpoint(vertx, answer);
    endpoint.server.listen().await();
    return endpoint;
  }

  static Endpoint answering(Vertx vertx, int status) {
    return start(vertx, (request, n) -> request.response().setStatusCode(status).end());
  }

  URI uri() {
    return URI.create("http://127.0.0.1:" + server.actualPort() + "/in");
  }

  Future<Void> close() {
    return server.close();
  }

  synchronized List<Arrival> arrivals() {
    return List.copyOf(arrivals);
  }

  private synchronized int arrived(HttpServerRequest request, Buffer body) {
    String stamp = request.getHeader("Weir-Sent-At");
    String attempt = request.getHeader("Weir-Attempt");
    Map<String, String> headers = new HashMap<>();
    request.headers().forEach((name, value) -> headers.put(name.toLowerCase(Locale.ROOT), value));
    arrivals.add(
        new Arrival(
            request.uri(),
            Objects.requireNonNullElse(request.getHeader("Idempotency-Key"), ""),
            attempt == null ? 0 : Integer.parseInt(attempt),
            stamp == null ? 0 : Long.parseLong(stamp),
            System.nanoTime(),
            headers,
            body));
    notifyAll();
    return arrivals.size();
  }

  /** Waits until so many have arrived. */
  synchronized List<Arrival> await(int count, long withinMs) throws Exception {
    long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(withinMs);
    while (arrivals.size() < count) {
      long leftMs = TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime());
      if (leftMs <= 0) {
        throw new TimeoutException(arrivals.size() + " of " + count + " arrived");
      }
      wait(leftMs);
    }
    return List.copyOf(arrivals);
  }
}
