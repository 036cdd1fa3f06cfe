package dev.weir.app.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.receiver.Arrival;
import dev.weir.testkit.redis.RedisProcess;
import io.vertx.core.json.JsonObject;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Redis stands still for longer than a lease while outcomes wait to be told. Every lease has lapsed
 * when it goes on; a claim that came before the settlements would send all of it again.
 */
class FrozenRedisIT {

  private static final Logger LOG = LoggerFactory.getLogger(FrozenRedisIT.class);

  private static final int AWAITING_SETTLE = 200;
  private static final int DUE_LATER = 60;

  /** The lease is 4 s + 5 s, counted from the claim. */
  private static final Duration FROZEN = Duration.ofSeconds(10);

  @TempDir private Path dir = Path.of("");

  @Test
  void whatWasAcceptedMeanwhileIsNotSentAgain() throws Exception {
    try (RedisProcess redis = RedisProcess.start("appendfsync always");
        Site site = Site.start(dir, redis.port(), "store:\n  leaseMargin: 5s\n")) {
      // Long enough that all are claimed and written before the first is answered.
      site.script("default: {status: 200, delay: 3s}\n");
      // Room beyond what waits, so that it goes on claiming as soon as it may.
      site.subscribe("held", new JsonObject().put("timeout", "4s").put("maxInFlight", 250));
      site.client().post("/v1/subscribers/held/pause", new JsonObject());
      try (Load load =
          Load.start(site.client(), "m", 4, List.of(List.of("held")), 200, AWAITING_SETTLE)) {
        load.join();
      }
      site.client().post("/v1/subscribers/held/resume", new JsonObject());
      // Due while Redis stands still: the claim for them lies in Redis' socket when it goes on.
      for (int later = 0; later < DUE_LATER; later++) {
        publishLater(site, later);
      }
      Site.await(
          Duration.ofSeconds(10),
          () -> site.arrivals().count() >= AWAITING_SETTLE,
          () -> site.arrivals().count() + " arrived");
      redis.freeze();
      long frozenNanos = System.nanoTime();
      try {
        LockSupport.parkNanos(FROZEN.toNanos());
      } finally {
        redis.thaw();
      }
      long thawedNanos = System.nanoTime();
      site.awaitDrained(AWAITING_SETTLE + DUE_LATER, Duration.ofSeconds(30));
      LOG.info("drained {} ms after Redis went on", Site.millisSince(thawedNanos));

      Map<String, List<Arrival>> byKey = site.arrivals().byKey();
      assertThat(byKey.values().stream().flatMap(List::stream))
          .as("answered while Redis stood still")
          .filteredOn(one -> String.valueOf(one.key()).startsWith("m"))
          .hasSize(AWAITING_SETTLE)
          .allSatisfy(one -> assertThat(one.answeredNs()).isBetween(frozenNanos, thawedNanos));
      assertThat(byKey).hasSize(AWAITING_SETTLE + DUE_LATER);
      assertThat(byKey.values()).allSatisfy(attempts -> assertThat(attempts).hasSize(1));
    }
  }

  private static void publishLater(Site site, int number) {
    JsonObject message =
        new JsonObject()
            .put("to", "held")
            .put("id", "later" + number)
            .put("delaySeconds", 2 + number % 2)
            .put("body", number);
    assertThat(site.client().publish(message.encode()).status()).isEqualTo(202);
  }
}
