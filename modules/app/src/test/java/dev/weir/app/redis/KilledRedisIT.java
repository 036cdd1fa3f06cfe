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

/** Redis is killed and comes back with all that it had acknowledged. */
class KilledRedisIT {

  private static final Logger LOG = LoggerFactory.getLogger(KilledRedisIT.class);

  private static final int KILLS = 3;

  /** Until waits between attempts have grown to their longest. */
  private static final Duration LONG_OUTAGE = Duration.ofSeconds(4);

  /** What is promised, on an idle machine, and what is asserted on any. */
  private static final long PROMISED_MS = 2_000;

  private static final long TOLERATED_MS = 5_000;

  @TempDir private Path dir = Path.of("");

  @Test
  void publishesAreRefusedMeanwhileAndEachDeliveryArrivesOnce() throws Exception {
    try (RedisProcess redis = RedisProcess.start("appendfsync always");
        Site site = Site.start(dir, redis)) {
      site.subscribe("fast", new JsonObject());
      // Always behind, so that its arrivals tell when deliveries go on.
      site.subscribe("paced", new JsonObject().put("rate", "100/s"));
      try (Load load =
          Load.start(
              site.client(), "m", 4, List.of(List.of("fast"), List.of("paced")), 200, 20_000)) {
        load.awaitAccepted(400, Duration.ofSeconds(30));
        for (int kill = 1; kill <= KILLS; kill++) {
          int refused = load.answered(503);
          redis.kill();
          Site.await(
              Duration.ofSeconds(10),
              () -> load.answered(503) >= refused + 20,
              () -> "publishes are not refused while Redis is away");
          assertThat(site.client().ready()).as("ready without Redis").isFalse();
          if (kill == KILLS) {
            LockSupport.parkNanos(LONG_OUTAGE.toNanos());
          }
          redis.restart();
          long backNanos = System.nanoTime();
          Arrival first = site.firstArrivalAfter(backNanos, Duration.ofSeconds(20));
          long tookMs = (first.ns() - backNanos) / 1_000_000;
          LOG.info("kill {}: deliveries resumed {} ms after Redis' return", kill, tookMs);
          assertThat(tookMs).as("promised: " + PROMISED_MS).isLessThan(TOLERATED_MS);
          load.awaitAccepted(load.accepted().size() + 200, Duration.ofSeconds(20));
        }
        load.end();
        LOG.info("{} accepted, {} times 503", load.accepted().size(), load.answered(503));
        site.client().put("/v1/subscribers/paced", unpaced(site));
        site.awaitDrained(load.accepted().size(), Duration.ofSeconds(30));
        Map<String, List<Arrival>> byKey = site.arrivals().byKey();
        assertThat(byKey.keySet()).isEqualTo(load.accepted());
        assertThat(byKey.values()).allSatisfy(attempts -> assertThat(attempts).hasSize(1));
      }
    }
  }

  private static JsonObject unpaced(Site site) {
    return new JsonObject()
        .put("endpoint", site.client().get("/v1/subscribers/paced").getString("endpoint"));
  }
}
