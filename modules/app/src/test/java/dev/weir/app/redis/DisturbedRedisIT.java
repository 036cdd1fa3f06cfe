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

/** What an operator or a fail-over does to a Redis that keeps its data. */
class DisturbedRedisIT {

  private static final Logger LOG = LoggerFactory.getLogger(DisturbedRedisIT.class);

  private static final int TIMES = 10;
  private static final Duration SOON = Duration.ofSeconds(20);
  private static final Duration READ_ONLY = Duration.ofSeconds(3);

  @TempDir private Path dir = Path.of("");

  @Test
  void forgottenScriptsKilledConnectionsAndAReadOnlySpellLoseNothing() throws Exception {
    try (RedisProcess redis = RedisProcess.start();
        Site site = Site.start(dir, redis)) {
      site.subscribe("a", new JsonObject());
      site.subscribe("b", new JsonObject().put("rate", "500/s"));
      try (Load load =
          Load.start(site.client(), "m", 4, List.of(List.of("a"), List.of("b")), 200, 30_000)) {
        for (int i = 0; i < TIMES; i++) {
          redis.call("SCRIPT", "FLUSH");
          goesOn(load);
        }
        assertThat(load.answered(503)).as("forgotten scripts are loaded again").isZero();
        for (int i = 0; i < TIMES; i++) {
          redis.call("CLIENT", "KILL", "TYPE", "normal");
          goesOn(load);
        }
        readOnlyForAWhile(redis, site, load);
        load.end();
        LOG.info("{} accepted, {} times 503", load.accepted().size(), load.answered(503));
        site.awaitDrained(load.accepted().size(), Duration.ofSeconds(30));
        Map<String, List<Arrival>> byKey = site.arrivals().byKey();
        assertThat(byKey.keySet()).isEqualTo(load.accepted());
        assertThat(byKey.values()).allSatisfy(attempts -> assertThat(attempts).hasSize(1));
      }
    }
  }

  /** A replica of nobody: it keeps its data and refuses every write, as after a fail-over. */
  private static void readOnlyForAWhile(RedisProcess redis, Site site, Load load) {
    int refused = load.answered(503);
    redis.call("REPLICAOF", "127.0.0.1", String.valueOf(RedisProcess.freePort()));
    LockSupport.parkNanos(READ_ONLY.toNanos());
    assertThat(load.answered(503)).isGreaterThan(refused);
    redis.call("REPLICAOF", "NO", "ONE");
    long writableNanos = System.nanoTime();
    goesOn(load);
    Arrival first = site.firstArrivalAfter(writableNanos, SOON);
    LOG.info("resumed {} ms after it was writable", (first.ns() - writableNanos) / 1_000_000);
    // Each of its connections waits up to a second before it looks again.
    Site.await(SOON, site.client()::ready, site::log);
  }

  private static void goesOn(Load load) {
    load.awaitAccepted(load.accepted().size() + 50, SOON);
  }
}
