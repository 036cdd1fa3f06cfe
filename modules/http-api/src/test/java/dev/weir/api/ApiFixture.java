package dev.weir.api;

import dev.weir.domain.message.DeliveryId;
import dev.weir.domain.message.Escaping;
import dev.weir.domain.outcome.Outcome;
import dev.weir.protocol.bus.Wakes;
import dev.weir.protocol.store.ClaimId;
import dev.weir.protocol.store.ConfigStore.SubscriberView;
import dev.weir.protocol.store.DeliveryStore.ClaimRequest;
import dev.weir.protocol.store.DeliveryStore.Claimed;
import dev.weir.protocol.store.DeliveryStore.Settlement;
import dev.weir.testkit.store.FaultyStore;
import dev.weir.testkit.store.InMemoryStore;
import dev.weir.testkit.time.SettableClock;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** The API on a real port, over the store in memory, called with a client that changes nothing. */
final class ApiFixture implements AutoCloseable {

  final SettableClock clock = new SettableClock();
  final InMemoryStore memory = new InMemoryStore(clock);
  final FaultyStore store = new FaultyStore(memory);
  final List<String> due = new CopyOnWriteArrayList<>();
  final List<String> changed = new CopyOnWriteArrayList<>();
  final List<Integer> rejected = new CopyOnWriteArrayList<>();
  final AtomicInteger hits = new AtomicInteger();

  private final Vertx vertx = Vertx.vertx();
  private final HttpClient client =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
  private final ApiVerticle api;
  private long nonce;

  ApiFixture() {
    this(ApiConfig.on("127.0.0.1", 0));
  }

  ApiFixture(ApiConfig config) {
    api = new ApiVerticle(config, ports());
    await(vertx.deployVerticle(api));
  }

  ApiPorts ports() {
    return new ApiPorts(
        store,
        new Wakes() {
          @Override
          public void due(List<String> subscribers) {
            due.addAll(subscribers);
          }

          @Override
          public void changed(String subscriber) {
            changed.add(subscriber);
          }
        },
        new ApiEvents() {
          @Override
          public void publishRejected(int status) {
            rejected.add(status);
          }

          @Override
          public void idempotencyHit() {
            hits.incrementAndGet();
          }
        },
        () -> "# TYPE weir_accepted_total counter\nweir_accepted_total 1.0\n",
        store::health,
        clock);
  }

  static <T> T await(Future<T> future) {
    try {
      return future.await(10, TimeUnit.SECONDS);
    } catch (java.util.concurrent.TimeoutException e) {
      throw new IllegalStateException("not done within 10 s", e);
    }
  }

  /** An answer, with its body read as text or JSON. */
  record Answer(int status, String text, HttpResponse<byte[]> response) {
    JsonObject json() {
      return new JsonObject(text);
    }

    String type() {
      return response.headers().firstValue("Content-Type").orElse("");
    }

    String header(String name) {
      return response.headers().firstValue(name).orElse("");
    }

    String detail() {
      return json().getString("detail");
    }

    String field() {
      return json().getString("field");
    }
  }

  Answer get(String path) {
    return send("GET", path, BodyPublishers.noBody());
  }

  Answer delete(String path) {
    return send("DELETE", path, BodyPublishers.noBody());
  }

  Answer put(String path, String json) {
    return send("PUT", path, BodyPublishers.ofString(json), "Content-Type", "application/json");
  }

  Answer post(String path, String json, String... headers) {
    return send("POST", path, BodyPublishers.ofString(json), headers);
  }

  Answer publish(String json, String... headers) {
    return post("/v1/queue/publish", json, headers);
  }

  Answer raw(byte[] body, String... headers) {
    return send("POST", "/v1/queue/publish", BodyPublishers.ofByteArray(body), headers);
  }

  Answer send(String method, String path, BodyPublisher body, String... headers) {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + api.port() + path))
            .method(method, body)
            .timeout(Duration.ofSeconds(20));
    if (headers.length > 0) {
      request.headers(headers);
    }
    try {
      HttpResponse<byte[]> response = client.send(request.build(), BodyHandlers.ofByteArray());
      return new Answer(
          response.statusCode(), new String(response.body(), StandardCharsets.UTF_8), response);
    } catch (IOException e) {
      throw new IllegalStateException(e);
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  Socket connect() throws IOException {
    Socket socket = new Socket(InetAddress.getLoopbackAddress(), api.port());
    socket.setSoTimeout(10_000);
    return socket;
  }

  void subscriber(String id) {
    put("/v1/subscribers/" + Escaping.escape(id), "{\"endpoint\":\"http://127.0.0.1:9/in\"}");
  }

  /** Claims what is ready for a subscriber. */
  List<Claimed> claim(String subscriber) {
    return claim(subscriber, 100);
  }

  private List<Claimed> claim(String subscriber, int count) {
    SubscriberView view = await(memory.config().subscriber(subscriber)).orElseThrow();
    return await(
            memory
                .deliveries()
                .claim(
                    view.partition(),
                    new ClaimId(1, "test", ++nonce),
                    List.of(new ClaimRequest(subscriber, count)),
                    1 << 20))
        .get(0)
        .deliveries();
  }

  /** Claims the first ready delivery of a subscriber and settles it. */
  DeliveryId settle(String subscriber, Outcome outcome, String trace) {
    SubscriberView view = await(memory.config().subscriber(subscriber)).orElseThrow();
    Claimed claimed = claim(subscriber, 1).get(0);
    await(
        memory
            .deliveries()
            .settle(
                view.partition(),
                List.of(
                    new Settlement(
                        claimed.id(), claimed.sequence(), claimed.claim(), outcome, trace, true))));
    return claimed.id();
  }

  /** The body that an attempt of the one ready delivery would send. */
  byte[] sent(String subscriber) {
    return claim(subscriber).get(0).body().getBytes();
  }

  @Override
  public void close() {
    await(vertx.close());
  }
}
