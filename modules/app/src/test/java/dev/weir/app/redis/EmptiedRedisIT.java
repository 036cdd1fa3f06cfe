package dev.weir.app.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.testkit.redis.RedisProcess;
import io.vertx.core.json.JsonObject;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Redis loses everything while the node runs. What is gone can't come back, and is said. */
class EmptiedRedisIT {

  private static final Duration SOON = Duration.ofSeconds(10);

  @TempDir private Path dir = Path.of("");

  @Test
  void theLossIsSaidAndTheNodeGoesOnWithoutARestart() throws Exception {
    try (RedisProcess redis = RedisProcess.start();
        Site site = Site.start(dir, redis)) {
      subscribe(site);
      List<List<String>> targets = List.of(List.of("a"), List.of("slow"), List.of("a", "slow"));
      try (Load before = Load.start(site.client(), "before", 4, targets, 200, 300)) {
        before.join();
      }
      Object epoch = redis.call("HGET", "weir:meta", "epoch");

      redis.call("FLUSHALL");

      Site.await(SOON, () -> !warning(site).isEmpty(), () -> "no warning; " + site.log());
      assertThat(warning(site)).contains("lost").contains("subscribers");
      assertThat(site.log()).contains("ERROR").contains(warning(site));
      assertThat(redis.call("HMGET", "weir:meta", "format", "partitions", "epoch"))
          .isEqualTo(Arrays.asList("1", "64", epoch));
      assertThat(site.client().publish("{\"to\":\"a\",\"body\":1}").status())
          .as("no subscriber, no promise")
          .isEqualTo(404);

      subscribe(site);
      try (Load after = Load.start(site.client(), "after", 4, targets, 200, 600)) {
        Set<String> accepted = after.join();
        JsonObject balance = site.awaitDrained(accepted.size(), Duration.ofSeconds(30));
        assertThat(balance.getLong("dead")).isZero();
        assertThat(site.arrivals().byKey().keySet()).containsAll(accepted);
      }
      assertThat(site.client().ready()).isTrue();

      // As after a fail-over to a replica that was behind.
      redis.call("HSET", "weir:meta", "epoch", "0");
      Site.await(SOON, () -> warning(site).contains("older data"), () -> warning(site));
      assertThat(redis.call("HGET", "weir:meta", "epoch")).isEqualTo(epoch);
    }
  }

  private static void subscribe(Site site) {
    site.subscribe("a", new JsonObject());
    site.subscribe("slow", new JsonObject().put("rate", "50/s").put("burst", 20));
  }

  private static String warning(Site site) {
    return site.client().get("/health/ready").getString("warning", "");
  }
}
