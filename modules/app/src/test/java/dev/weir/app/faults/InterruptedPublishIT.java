package dev.weir.app.faults;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.domain.message.MessageId;
import dev.weir.receiver.Arrival;
import dev.weir.scenarios.client.Answer;
import dev.weir.scenarios.client.WeirClient;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The node is killed within publishes to many, which several producers hand in at once. */
class InterruptedPublishIT {

  private static final Logger LOG = LoggerFactory.getLogger(InterruptedPublishIT.class);

  private static final int SUBSCRIBERS = 300;
  private static final int PRODUCERS = 3;
  private static final int KILLS = 8;
  private static final Duration LIMIT = Duration.ofSeconds(60);

  private static final CompletableFuture<Void> AT_WILL = CompletableFuture.completedFuture(null);

  @TempDir private Path dir = Path.of("");

  private final List<String> subscribers =
      IntStream.range(0, SUBSCRIBERS).mapToObj(i -> "store_" + i).toList();

  @Test
  void eachPairIsMadeOnceWhereverThePublishWasCutOff() {
    try (Ground ground = Ground.start(dir, "default: {status: 200}\n", "")) {
      subscribers.forEach(id -> ground.subscribe(id, new JsonObject()));
      for (int i = 0; i < 4; i++) {
        publishByAll(ground, "warm_" + i, AT_WILL).join();
      }
      long beganNanos = System.nanoTime();
      publishByAll(ground, "timed", AT_WILL).join();
      long tookNanos = System.nanoTime() - beganNanos;
      int cutOff = 0;
      for (int kill = 0; kill < KILLS; kill++) {
        cutOff += cutOff(ground, "cut_" + kill, tookNanos * (2L * kill + 1) / (2L * KILLS));
      }
      LOG.info(
          "a publish takes {} ms; {} of {} were cut off halfway",
          tookNanos / 1_000_000,
          cutOff,
          KILLS);
      assertThat(cutOff).as("kills that fell between the steps").isPositive();
      long accepted = (long) SUBSCRIBERS * (5 + KILLS);
      JsonObject balance = ground.awaitSettled(accepted, LIMIT);
      assertThat(balance.getLong("delivered")).isEqualTo(accepted);
      assertThat(balance.getLong("bodies")).as("bodies that nobody waits for").isZero();
      requireEachPair(ground.receiver().finish().all(), accepted);
    }
  }

  /**
   * @return 1 when the kill left some of the deliveries made and others not
   */
  private int cutOff(Ground ground, String id, long afterNanos) {
    CompletableFuture<Void> looked = new CompletableFuture<>();
    CompletableFuture<Set<String>> answers = publishByAll(ground, id, looked);
    LockSupport.parkNanos(afterNanos);
    ground.node().kill();
    ground.node().restart();
    // The kill's own work: nobody repeats the publish before this look.
    int made = deliveries(ground, id).size();
    LOG.info(
        "killed after {} ms: {} of {} deliveries made", afterNanos / 1_000_000, made, SUBSCRIBERS);
    looked.complete(null);
    assertThat(answers.join()).as("answers to one request").hasSize(1);
    Set<String> pairs =
        deliveries(ground, id).stream()
            .map(d -> d.getString("subscriber"))
            .collect(Collectors.toSet());
    assertThat(deliveries(ground, id)).hasSize(SUBSCRIBERS);
    assertThat(pairs).containsExactlyInAnyOrderElementsOf(subscribers);
    return made > 0 && made < SUBSCRIBERS ? 1 : 0;
  }

  private static List<JsonObject> deliveries(Ground ground, String id) {
    Answer answer =
        ground.node().client().call("GET", WeirClient.messagePath(MessageId.of(id, 1)), null);
    if (answer.status() == 404) {
      return List.of();
    }
    JsonArray items = answer.json().getJsonArray("deliveries");
    return IntStream.range(0, items.size()).mapToObj(items::getJsonObject).toList();
  }

  /** The same request from each producer, repeated until it is taken; all their answers. */
  private CompletableFuture<Set<String>> publishByAll(
      Ground ground, String id, CompletableFuture<Void> repeatsAfter) {
    String request =
        new JsonObject()
            .put("to", new JsonArray(subscribers))
            .put("id", id)
            .put("version", 1)
            .put("body", id)
            .encode();
    Set<String> answers = ConcurrentHashMap.newKeySet();
    List<CompletableFuture<Void>> producers = new ArrayList<>();
    for (int i = 0; i < PRODUCERS; i++) {
      producers.add(
          CompletableFuture.runAsync(() -> answers.add(taken(ground, id, request, repeatsAfter))));
    }
    return CompletableFuture.allOf(producers.toArray(CompletableFuture[]::new))
        .thenApply(all -> answers);
  }

  private static String taken(
      Ground ground, String id, String request, CompletableFuture<Void> repeatsAfter) {
    long untilNanos = System.nanoTime() + LIMIT.toNanos();
    while (System.nanoTime() < untilNanos) {
      try {
        Answer answer =
            ground
                .node()
                .client()
                .send("POST", "/v1/queue/publish", request, Map.of("Idempotency-Key", "key_" + id));
        if (answer.status() == 202) {
          return answer.body();
        }
        assertThat(answer.status()).as(answer.body()).isEqualTo(503);
      } catch (IOException cutOff) {
        repeatsAfter.join();
        LockSupport.parkNanos(Duration.ofMillis(20).toNanos());
      }
    }
    throw new AssertionError(id + " was not taken within " + LIMIT);
  }

  private static void requireEachPair(List<Arrival> arrivals, long accepted) {
    assertThat(arrivals.stream().map(Arrival::key).distinct().count()).isEqualTo(accepted);
    LOG.info("{} deliveries, {} requests", accepted, arrivals.size());
  }
}
