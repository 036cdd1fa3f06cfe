package dev.weir.app.faults;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.domain.quota.Rate;
import dev.weir.receiver.Arrivals;
import dev.weir.receiver.RateEnvelope;
import io.vertx.core.json.JsonObject;
import java.nio.file.Path;
import java.time.Duration;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What a bucket has given stays given, whatever becomes of the bucket: its verticle, its node, its
 * Redis. The rates are so slow that a burst given twice stands out by nearly all of itself.
 */
class SpentBurstIT {

  private static final Logger LOG = LoggerFactory.getLogger(SpentBurstIT.class);

  private static final String RATE = "2/s";
  private static final int BURST = 15;

  /** All at once; through the end of the burst; and what a burst given again would send at once. */
  private static final int[] SPELLS = {10, 8, 6};

  private static final int KILLS = 2;
  private static final String QUICK = "default: {status: 200}\n";
  private static final Duration SOON = Duration.ofSeconds(20);

  /** Asserted of what is promised at once: two JVMs beside it may have the machine just then. */
  private static final Duration AT_ONCE = Duration.ofSeconds(5);

  @TempDir private Path dir = Path.of("");

  @Test
  void aBurstSpentBeforeEverythingWasKilledIsNotGivenAgain() {
    try (Ground ground = Ground.start(dir, QUICK, "")) {
      JsonObject quota = new JsonObject().put("rate", RATE).put("burst", BURST);
      ground.subscribe("own", quota);
      ground.node().client().put("/v1/quotas/both", quota);
      ground.subscribe("left", new JsonObject().put("quota", "both"));
      ground.subscribe("right", new JsonObject().put("quota", "both"));
      ground.subscribe("idle", new JsonObject().put("rate", "5/h").put("burst", 1));
      ground.subscribe("used", new JsonObject().put("rate", "5/h").put("burst", 1));
      ground.publish("used_0", "used");
      ground.awaitArrivals("/used", 1, SOON);
      int each = BURST * (KILLS + 2);
      for (int i = 0; i < each; i++) {
        ground.publish("own_" + i, "own");
        ground.publish("left_" + i, "left");
        ground.publish("right_" + i, "right");
      }
      for (int kill = 1; kill <= KILLS; kill++) {
        int sent = BURST + 4 * kill;
        ground.awaitArrivals("/own", sent, SOON);
        awaitBoth(ground, sent);
        ground.killEverything();
        ground.node().restart();
      }
      ground.publish("used_1", "used");
      long publishedNanos = System.nanoTime();
      ground.publish("idle_0", "idle");
      ground.awaitArrivals("/idle", 1, AT_ONCE);
      LOG.info("idle before: sent {} ms after it was published", millisSince(publishedNanos));
      ground.awaitArrivals("/own", BURST + 4 * (KILLS + 1), SOON);
      awaitBoth(ground, BURST + 4 * (KILLS + 1));

      Arrivals paced = ground.arrivals();
      requireWithin("own", paced, a -> a.equals("/own"));
      requireWithin("both", paced, a -> a.equals("/left") || a.equals("/right"));
      assertThat(paced.at("/used").count()).as("a token spent before the kill").isEqualTo(1);

      // Nobody waits an hour for the rest of it.
      JsonObject unlimited = new JsonObject().put("rate", "unlimited");
      ground.subscribe("own", unlimited);
      ground.subscribe("used", unlimited);
      ground.node().client().put("/v1/quotas/both", unlimited);
      JsonObject balance = ground.awaitSettled(3L * each + 3, Duration.ofSeconds(30));
      assertThat(balance.getLong("delivered")).isEqualTo(3L * each + 3);
    }
  }

  @Test
  void aBurstSpentBeforeItsVerticleWentIsNotGivenAgain() {
    try (Ground ground =
        Ground.start(dir, QUICK, "node: {idleAfter: 100ms}\nlog: {level: debug}\n")) {
      ground.subscribe("own", new JsonObject().put("rate", RATE).put("burst", BURST));
      int published = 0;
      for (int spell = 0; spell < SPELLS.length; spell++) {
        long gone = passivations(ground);
        for (int i = 0; i < SPELLS[spell]; i++) {
          ground.publish("own_" + published++, "own");
        }
        ground.awaitArrivals("/own", published, SOON);
        Ground.await(
            SOON,
            () -> passivations(ground) > gone,
            () -> "no verticle went: " + ground.node().tail(20));
      }
      requireWithin("own", ground.arrivals(), a -> true);
      assertThat(ground.awaitSettled(published, SOON).getLong("delivered")).isEqualTo(published);
    }
  }

  private static long passivations(Ground ground) {
    return ground
        .node()
        .tail(Integer.MAX_VALUE)
        .lines()
        .filter(l -> l.contains("the verticle of own is gone"))
        .count();
  }

  private static void awaitBoth(Ground ground, int count) {
    Ground.await(
        SOON,
        () ->
            ground
                    .arrivals()
                    .where(a -> a.path().equals("/left") || a.path().equals("/right"))
                    .count()
                >= count,
        () -> "the shared quota stands still: " + ground.node().tail(20));
  }

  private static void requireWithin(String quota, Arrivals all, Predicate<String> path) {
    Arrivals arrivals = all.where(a -> path.test(a.path()));
    assertThat(arrivals.stamped()).isTrue();
    double excess = arrivals.excessAsSent(Rate.parse(RATE), BURST);
    LOG.info("{}: {} requests, excess {}", quota, arrivals.count(), excess);
    assertThat(RateEnvelope.within(excess)).as("%s exceeded by %.3f", quota, excess).isTrue();
  }

  private static long millisSince(long nanos) {
    return (System.nanoTime() - nanos) / 1_000_000;
  }
}
