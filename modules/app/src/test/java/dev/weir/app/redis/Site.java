package dev.weir.app.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.receiver.Arrival;
import dev.weir.receiver.Arrivals;
import dev.weir.receiver.Receiver;
import dev.weir.receiver.ReceiverOptions;
import dev.weir.scenarios.client.ReceiverClient;
import dev.weir.scenarios.client.WeirClient;
import dev.weir.scenarios.process.WeirJar;
import dev.weir.scenarios.process.WeirProcess;
import dev.weir.testkit.redis.RedisProcess;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/**
 * One node, the jar as a process, on a Redis that the test breaks, and a receiver in this JVM: its
 * clock is the test's, so that arrivals and faults can be set against each other.
 */
final class Site implements AutoCloseable {

  private static final Path JAR = Path.of("target", "weir.jar");
  private static final Duration POLL = Duration.ofMillis(20);

  private final Vertx vertx = Vertx.vertx(new VertxOptions().setEventLoopPoolSize(1));
  private final Receiver receiver;
  private final ReceiverClient arrivals;
  private final WeirProcess node;

  private Site(Path dir, int redisPort, String yaml) {
    receiver =
        Receiver.start(vertx, new ReceiverOptions(0, null, null))
            .toCompletionStage()
            .toCompletableFuture()
            .join();
    arrivals = new ReceiverClient("http://" + Receiver.HOST + ":" + receiver.port());
    if (System.getProperty(WeirJar.PROPERTY) == null) {
      System.setProperty(WeirJar.PROPERTY, JAR.toAbsolutePath().toString());
    }
    List<String> arguments = new ArrayList<>(List.of("--node", "n1"));
    arguments.addAll(List.of("--redis", "redis://127.0.0.1:" + redisPort + "/0"));
    if (!yaml.isEmpty()) {
      arguments.addAll(List.of("--config", write(dir.resolve("weir.yaml"), yaml).toString()));
    }
    node = WeirProcess.start(dir, "node", arguments.toArray(String[]::new));
  }

  static Site start(Path dir, RedisProcess redis) {
    return start(dir, redis.port(), "");
  }

  /**
   * @param redisPort of the Redis, or of what stands before it
   * @param yaml the node's configuration; empty for the defaults
   */
  static Site start(Path dir, int redisPort, String yaml) {
    return new Site(dir, redisPort, yaml);
  }

  private static Path write(Path file, String text) {
    try {
      return Files.writeString(file, text);
    } catch (IOException e) {
      throw new IllegalStateException("can't write " + file, e);
    }
  }

  WeirClient client() {
    return node.client();
  }

  void killAndRestart() {
    node.kill();
    node.restart();
  }

  String log() {
    return node.tail(200);
  }

  /** A subscriber whose endpoint is the receiver's path of the same name. */
  void subscribe(String id, JsonObject more) {
    JsonObject subscriber =
        new JsonObject()
            .put("endpoint", "http://" + Receiver.HOST + ":" + receiver.port() + "/" + id);
    client().put("/v1/subscribers/" + id, subscriber.mergeIn(more));
  }

  void script(String yaml) {
    arrivals.script(yaml);
  }

  Arrivals arrivals() {
    return arrivals.arrivals();
  }

  /** Cheaper than reading them all. */
  long arrived() {
    return arrivals.stats().getLong("arrivals");
  }

  /** Or the problem: after an outage the node may need a moment. */
  JsonObject balance() {
    return new JsonObject(client().call("GET", "/v1/balance", null).body());
  }

  /** When the first attempt after this instant arrived; waits for it. */
  Arrival firstArrivalAfter(long ns, Duration limit) {
    Arrival[] found = new Arrival[1];
    await(
        limit,
        () -> {
          found[0] =
              arrivals().all().stream().filter(one -> one.ns() > ns).findFirst().orElse(found[0]);
          return found[0] != null;
        },
        () -> "nothing arrived: " + log());
    return found[0];
  }

  /**
   * Waits until nothing is pending and requires a balance that holds over exactly these messages.
   */
  JsonObject awaitDrained(long accepted, Duration limit) {
    JsonObject[] last = {new JsonObject()};
    await(
        limit,
        () -> {
          last[0] = balance();
          return last[0].getLong("pending", -1L) == 0;
        },
        () -> "still pending: " + last[0].encode() + "\n" + log());
    assertThat(last[0].getBoolean("holds")).as(last[0].encode()).isTrue();
    assertThat(last[0].getLong("accepted")).as(last[0].encode()).isEqualTo(accepted);
    assertThat(last[0].getLong("delivered")).as(last[0].encode()).isEqualTo(accepted);
    assertThat(last[0].getLong("bodies")).as("bodies of no use: " + last[0]).isZero();
    return last[0];
  }

  static void await(Duration limit, BooleanSupplier condition, Supplier<String> complaint) {
    long untilNanos = System.nanoTime() + limit.toNanos();
    while (!condition.getAsBoolean()) {
      if (System.nanoTime() > untilNanos) {
        throw new AssertionError("not within " + limit + ": " + complaint.get());
      }
      LockSupport.parkNanos(POLL.toNanos());
    }
  }

  static long millisSince(long ns) {
    return TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - ns);
  }

  @Override
  public void close() {
    node.close();
    vertx.close().toCompletionStage().toCompletableFuture().join();
  }
}
