package dev.weir.app.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.receiver.Arrival;
import dev.weir.testkit.redis.RedisProcess;
import io.vertx.core.json.JsonObject;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Redis is filled to its limit by producers that go on asking. */
class FullRedisIT {

  private static final Logger LOG = LoggerFactory.getLogger(FullRedisIT.class);

  private static final int BODY_BYTES = 16_000;

  /** 64 MB of bodies for a store of 24. */
  private static final int MESSAGES = 4_000;

  private static final int FEW = 20;

  private static final String MAX_MEMORY = Integer.toString(24 << 20);

  @TempDir private Path dir = Path.of("");

  @Test
  void theBacklogDrainsAndPublishesAreTakenAgain() throws Exception {
    try (RedisProcess redis = RedisProcess.start("maxmemory 24mb");
        Site site = Site.start(dir, redis)) {
      site.subscribe("a", new JsonObject());
      site.subscribe("b", new JsonObject());
      pause(site, "pause");
      try (Load load =
          Load.start(
              site.client(), "m", 4, List.of(List.of("a"), List.of("b")), BODY_BYTES, MESSAGES)) {
        Site.await(
            Duration.ofSeconds(30),
            () -> load.answered(503) >= 50,
            () -> "never full: " + load.accepted().size() + " taken");
        int whenFull = load.accepted().size();
        LOG.info("full at {} messages", whenFull);
        // To the brim: nothing that needs memory is possible now.
        redis.call("CONFIG", "SET", "maxmemory", used(redis));
        pause(site, "resume");
        Site.await(
            Duration.ofSeconds(30),
            () -> site.arrived() >= whenFull,
            () -> site.arrived() + " of " + whenFull + " delivered while full; " + site.log());
        redis.call("CONFIG", "SET", "maxmemory", MAX_MEMORY);
        load.join();
        LOG.info("{} taken in the end, {} times 503", load.accepted().size(), load.answered(503));
        site.awaitDrained(MESSAGES, Duration.ofSeconds(30));
        Map<String, List<Arrival>> byKey = site.arrivals().byKey();
        assertThat(byKey.keySet()).isEqualTo(load.accepted());
        assertThat(byKey.values()).allSatisfy(attempts -> assertThat(attempts).hasSize(1));
      }
    }
  }

  @Test
  void aNodeStartsOnAFullStoreAndEmptiesIt() {
    try (RedisProcess redis = RedisProcess.start();
        Site site = Site.start(dir, redis)) {
      site.subscribe("a", new JsonObject());
      site.subscribe("b", new JsonObject());
      pause(site, "pause");
      for (int i = 0; i < FEW; i++) {
        String message = "{\"to\":[\"a\",\"b\"],\"id\":\"m" + i + "\",\"body\":1}";
        assertThat(site.client().publish(message).status()).isEqualTo(202);
      }
      redis.call("CONFIG", "SET", "maxmemory", "1mb");
      site.killAndRestart();
      pause(site, "resume");
      site.awaitDrained(2L * FEW, Duration.ofSeconds(20));
      assertThat(site.arrivals().byKey()).hasSize(2 * FEW);
      assertThat(site.client().publish("{\"to\":\"a\",\"body\":1}").status()).isEqualTo(503);
    }
  }

  private static void pause(Site site, String verb) {
    for (String subscriber : List.of("a", "b")) {
      site.client().post("/v1/subscribers/" + subscriber + "/" + verb, new JsonObject());
    }
  }

  private static String used(RedisProcess redis) {
    return String.valueOf(redis.call("INFO", "memory"))
        .lines()
        .filter(line -> line.startsWith("used_memory:"))
        .map(line -> line.substring("used_memory:".length()).strip())
        .findFirst()
        .orElseThrow();
  }
}
