package dev.weir.app.faults;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.receiver.Arrivals;
import dev.weir.scenarios.process.ReceiverProcess;
import dev.weir.scenarios.process.WeirProcess;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/** A node with its embedded Redis and a receiver, all of them processes that a test may kill. */
final class Ground implements AutoCloseable {

  private static final Duration POLL = Duration.ofMillis(20);

  private final ReceiverProcess receiver;
  private final WeirProcess node;

  private Ground(Path dir, String script, String yaml) {
    receiver = ReceiverProcess.start(dir, script);
    try {
      String config = Files.writeString(dir.resolve("weir.yaml"), yaml).toString();
      node = WeirProcess.start(dir, "node", "--config", config);
    } catch (IOException | RuntimeException e) {
      receiver.close();
      throw new IllegalStateException("the ground can't be laid: " + e.getMessage(), e);
    }
  }

  /**
   * @param script of the receiver
   * @param yaml configuration of the node
   */
  static Ground start(Path dir, String script, String yaml) {
    return new Ground(dir, script, yaml);
  }

  WeirProcess node() {
    return node;
  }

  ReceiverProcess receiver() {
    return receiver;
  }

  /** A subscriber whose endpoint is the receiver's path of the same name; attempts are stamped. */
  void subscribe(String id, JsonObject more) {
    node.client()
        .put(
            "/v1/subscribers/" + id,
            new JsonObject()
                .put("endpoint", receiver.url("/" + id))
                .put("stampAttempts", true)
                .mergeIn(more));
  }

  void publish(String id, String subscriber) {
    node.client()
        .post(
            "/v1/queue/publish",
            new JsonObject().put("to", subscriber).put("id", id).put("body", "x"));
  }

  /** The power cut: neither the node nor its Redis gets to say goodbye. */
  void killEverything() {
    var redis = node.redis();
    node.kill();
    redis.kill();
  }

  Arrivals arrivals() {
    return receiver.client().arrivals();
  }

  void awaitArrivals(String path, int count, Duration limit) {
    await(
        limit,
        () -> arrivals().at(path).count() >= count,
        () -> arrivals().at(path).count() + " of " + count + " arrived at " + path);
  }

  /** Waits until nothing is pending, and requires a balance over exactly these deliveries. */
  JsonObject awaitSettled(long accepted, Duration limit) {
    JsonObject[] last = {new JsonObject()};
    await(
        limit,
        () -> {
          last[0] = node.client().get("/v1/balance");
          return last[0].getLong("pending") == 0;
        },
        () -> "still pending: " + last[0].encode() + "\n" + node.tail(40));
    assertThat(last[0].getBoolean("holds")).as(last[0].encode()).isTrue();
    assertThat(last[0].getLong("accepted")).as(last[0].encode()).isEqualTo(accepted);
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

  @Override
  public void close() {
    node.close();
    receiver.close();
  }
}
