package dev.weir.app.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.receiver.Arrival;
import dev.weir.store.RedisStore;
import dev.weir.store.StoreConfig;
import dev.weir.testkit.redis.RedisProcess;
import dev.weir.testkit.redis.RespProxy;
import io.vertx.core.json.JsonObject;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Redis ran the script and the node never hears of it. */
class LostRepliesIT {

  private static final Logger LOG = LoggerFactory.getLogger(LostRepliesIT.class);

  private static final int DROPS = 1_000;
  private static final int LOST_CLAIMS = 20;

  private static final Duration PROMISED = Duration.ofSeconds(2);
  private static final Duration SOON = Duration.ofSeconds(10);

  /** Of each script, how often its reply is lost; the frequent ones seldom, to leave some flow. */
  private static final Map<String, Double> SHARES =
      Map.ofEntries(
          Map.entry("publish", 0.1),
          Map.entry("claim", 0.12),
          Map.entry("settle", 0.12),
          Map.entry("release", 0.5),
          Map.entry("check", 0.02),
          Map.entry("intend", 0.05),
          Map.entry("advance", 0.05),
          Map.entry("commit", 0.05),
          Map.entry("bind", 0.3),
          Map.entry("answered", 0.3),
          Map.entry("read_intent", 0.1),
          Map.entry("level", 0.2),
          Map.entry("view", 0.1),
          Map.entry("sweep", 0.005),
          Map.entry("intents", 0.005),
          Map.entry("totals", 0.005));

  @TempDir private Path dir = Path.of("");

  @Test
  void aThousandLostRepliesLeaveWhatOneRunOfEachLeaves() throws Exception {
    try (RedisProcess redis = RedisProcess.start();
        RespProxy proxy = RespProxy.to(redis.port());
        Site site = Site.start(dir, proxy.port(), "")) {
      site.script(
          """
          paths:
            - path: /limited
              rules: [{answer: {rateLimit: {rate: 100/s, burst: 5, retryAfter: seconds}}}]
            - path: /shaky
              rules: [{match: {attempt: 1}, answer: {status: 503}}, {answer: {}}]
          """);
      JsonObject quick = new JsonObject().put("base", "50ms").put("floor", "10ms");
      site.subscribe("open", new JsonObject());
      site.subscribe("one", new JsonObject().put("maxInFlight", 1));
      site.subscribe("paced", new JsonObject().put("rate", "200/s"));
      site.subscribe("limited", new JsonObject().put("rate", "200/s").put("retry", quick));
      site.subscribe("shaky", new JsonObject().put("retry", quick));
      List<List<String>> targets =
          List.of(
              List.of("open"),
              List.of("one"),
              List.of("paced"),
              List.of("limited"),
              List.of("shaky"),
              List.of("open"),
              List.of("one", "open", "paced"));

      long seed = 1;
      for (Map.Entry<String, Double> share : new TreeMap<>(SHARES).entrySet()) {
        proxy.dropEach(digest(share.getKey()), share.getValue(), seed++);
      }
      long beganNanos = System.nanoTime();
      try (Load load = Load.start(site.client(), "m", 6, targets, 200, 50_000)) {
        Site.await(
            Duration.ofSeconds(90),
            () -> proxy.dropped() >= DROPS,
            () -> proxy.dropped() + " dropped");
        proxy.dropNone();
        LOG.info(
            "{} replies lost and {} behind them in {} ms: {}",
            proxy.dropped(),
            proxy.lostBehind(),
            Site.millisSince(beganNanos),
            counts(proxy));
        load.end();
        LOG.info("{} accepted, {} times 503", load.accepted().size(), load.answered(503));
        site.awaitDrained(load.accepted().size(), Duration.ofSeconds(60));
        assertEachDeliveredOnce(site, load);
      }
      assertThat(proxy.dropped(digest("claim"))).isPositive();
      assertThat(proxy.dropped(digest("settle"))).isPositive();
      assertThat(proxy.dropped(digest("publish"))).isPositive();
      assertThat(proxy.dropped(digest("release"))).isPositive();
    }
  }

  private static void assertEachDeliveredOnce(Site site, Load load) {
    Map<String, List<Arrival>> byKey = site.arrivals().byKey();
    assertThat(byKey.keySet()).isEqualTo(load.accepted());
    assertThat(byKey)
        .allSatisfy(
            (key, attempts) -> {
              assertThat(attempts).filteredOn(Arrival::accepted).as(key).hasSize(1);
              assertThat(attempts.stream().map(Arrival::attempt)).as(key).doesNotHaveDuplicates();
            });
  }

  @Test
  void aSubscriberWithOneSlotGoesOnAfterALostClaim() throws Exception {
    try (RedisProcess redis = RedisProcess.start();
        RespProxy proxy = RespProxy.to(redis.port());
        Site site = Site.start(dir, proxy.port(), "")) {
      site.subscribe("one", new JsonObject().put("maxInFlight", 1));
      // A cold node takes longer than what is measured.
      publish(site, "first");
      Site.await(SOON, () -> site.arrived() == 1, () -> "nothing arrived; " + site.log());
      List<Long> waits = new ArrayList<>();
      for (int lost = 0; lost < LOST_CLAIMS; lost++) {
        // The claim that finds the first of them; the second waits for the only slot.
        proxy.dropNth(digest("claim"), 1);
        long began = System.nanoTime();
        publish(site, "a" + lost);
        publish(site, "b" + lost);
        int expected = 1 + 2 * (lost + 1);
        Site.await(
            PROMISED,
            () -> site.arrived() == expected,
            () -> site.arrived() + " of " + expected + " arrived; " + site.log());
        waits.add(Site.millisSince(began));
      }
      LOG.info("both had arrived after {} ms", waits);
      assertThat(proxy.dropped(digest("claim"))).isEqualTo(LOST_CLAIMS);
      site.awaitDrained(1 + 2 * LOST_CLAIMS, SOON);
      assertThat(site.arrived()).isEqualTo(1 + 2 * LOST_CLAIMS);
    }
  }

  private static void publish(Site site, String id) {
    JsonObject message = new JsonObject().put("to", "one").put("id", id).put("body", 1);
    Site.await(
        PROMISED,
        () -> site.client().publish(message.encode()).status() == 202,
        () -> id + " is not taken");
  }

  private static Map<String, Long> counts(RespProxy proxy) {
    Map<String, Long> counts = new TreeMap<>();
    SHARES.keySet().forEach(name -> counts.put(name, proxy.dropped(digest(name))));
    return counts;
  }

  private static String digest(String script) {
    return RedisStore.script(script, StoreConfig.DEFAULT).sha1();
  }
}
