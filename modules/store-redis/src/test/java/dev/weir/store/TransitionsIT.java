package dev.weir.store;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.domain.outcome.Outcome;
import dev.weir.protocol.store.ClaimId;
import dev.weir.protocol.store.DeliveryStore.Claimed;
import dev.weir.protocol.store.DeliveryStore.Sweep;
import dev.weir.testkit.redis.RedisProcess;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;

/** What every script must bear: being unknown to Redis, running twice, a clock that steps back. */
final class TransitionsIT {

  private static final RedisProcess REDIS = RedisProcess.start("appendonly no");
  private static final long HOUR_MS = 3_600_000;

  @AfterAll
  static void stop() {
    REDIS.close();
  }

  /** The life of some deliveries, each step through {@code around}. */
  private static void life(Drill drill, Around around) {
    around.run("put", () -> drill.add("a", "5/s", 50));
    around.run("share", () -> drill.addSharing("account", "unlimited", 9, "b", "c"));
    for (int i = 0; i < 9; i++) {
      String message = "m" + i;
      around.run("publish", () -> drill.publish(message, "a", "b"));
    }
    ClaimId claim = drill.newClaim();
    around.run("claim", () -> drill.claim(claim, "a", "a", 6));
    List<Claimed> got = drill.claim(claim, "a", "a", 6).deliveries();
    assertThat(got).hasSize(6);
    around.run("deliver", () -> drill.settle(got.get(0), Drill.delivered()));
    around.run("retry", () -> drill.settle(got.get(1), Drill.failure()));
    around.run("die", () -> drill.settle(got.get(2), Drill.dead()));
    around.run("put by", () -> drill.settle(got.get(3), new Outcome.Reconcile("late", 9)));
    around.run("release", () -> drill.release("a", got.subList(4, 5)));
    long epoch = drill.call(() -> drill.store.deliveries().beginEpoch());
    int partition = drill.partition("a");
    around.run(
        "recover", () -> drill.call(() -> drill.store.deliveries().recover(partition, epoch, 99)));
    around.run(
        "redrive", () -> drill.call(() -> drill.store.inspection().redrive(got.get(2).id())));
    around.run(
        "reschedule",
        () ->
            drill.call(
                () -> drill.store.inspection().reschedule(got.get(3).id(), 9_000_000_000_000L)));
    around.run("cancel", () -> drill.call(() -> drill.store.inspection().cancel(got.get(4).id())));
    around.run("pause", () -> drill.call(() -> drill.store.config().pause("a", "by hand")));
    around.run("resume", () -> drill.call(() -> drill.store.config().resume("a")));
    around.run("open", () -> drill.call(() -> drill.store.config().openGate("account")));
    around.run("sweep", () -> drill.call(() -> drill.store.deliveries().sweep(partition, 99)));
    around.run(
        "purge",
        () -> drill.call(() -> drill.store.deliveries().purgeDeadLetters(partition, 0, 9)));
    around.run("delete", () -> drill.call(() -> drill.store.config().deleteSubscriber("b")));
    around.run("delete c", () -> drill.call(() -> drill.store.config().deleteSubscriber("c")));
    around.run("unshare", () -> drill.call(() -> drill.store.config().deleteQuota("account")));
    drill.balances();
  }

  private interface Around {
    void run(String step, Runnable call);
  }

  @Test
  void eachScriptIsLoadedAgainWhenRedisForgotIt() {
    try (Drill drill = Drill.onEmpty(REDIS)) {
      life(
          drill,
          (step, call) -> {
            drill.redis("SCRIPT", "FLUSH");
            call.run();
          });
    }
  }

  @Test
  void eachScriptRunTwiceLeavesWhatOneRunLeaves() {
    try (Drill drill = Drill.onEmpty(REDIS)) {
      life(
          drill,
          (step, call) -> {
            call.run();
            Map<String, Object> once = state(drill);
            call.run();
            assertThat(state(drill)).as(step).isEqualTo(once);
          });
    }
  }

  /** Everything but when things are next looked at, versions, and the clock's note. */
  private static Map<String, Object> state(Drill drill) {
    Map<String, Object> all = new TreeMap<>();
    for (Object key : list(drill.redis("KEYS", "weir:{*"))) {
      String name = key.toString();
      if (!name.endsWith(":active") && !name.endsWith(":ver")) {
        all.put(name, content(drill, name));
      }
    }
    return all;
  }

  private static Object content(Drill drill, String key) {
    return switch (String.valueOf(drill.redis("TYPE", key))) {
      case "zset" -> String.valueOf(drill.redis("ZRANGE", key, "0", "-1", "WITHSCORES"));
      case "hash" -> fields(drill, list(drill.redis("HGETALL", key)));
      default -> String.valueOf(drill.redis("GET", key));
    };
  }

  private static List<?> list(@Nullable Object reply) {
    return (List<?>) Objects.requireNonNull(reply);
  }

  private static Map<String, String> fields(Drill drill, List<?> flat) {
    Map<String, String> fields = new TreeMap<>();
    for (int i = 0; i < flat.size(); i += 2) {
      String field = String.valueOf(flat.get(i));
      String value = String.valueOf(flat.get(i + 1));
      // A bucket that is full has been so since some instant or other.
      boolean full = field.equals("tat") && Long.parseLong(value) / 1_000 <= drill.bench.nowMs();
      if (!full && !List.of("v", "clock", "tatat").contains(field)) {
        fields.put(field, value);
      }
    }
    return fields;
  }

  @Test
  void recoveryEndsAllThatItSaysIsLeft() {
    try (Drill drill = Drill.onEmpty(REDIS)) {
      drill.add("a");
      drill.publishMany("m", 450, "a");
      assertThat(drill.claim("a", 450).deliveries()).hasSize(450);
      int partition = drill.partition("a");
      long epoch = drill.call(() -> drill.store.deliveries().beginEpoch());
      assertThat(drill.call(() -> drill.store.deliveries().recover(partition, epoch, 1_000)))
          .isEqualTo(450);
      assertThat(drill.counts("a").ready()).isEqualTo(450);
    }
  }

  @Test
  void whenTheClockStepsBackLeasesEndAndWorkIsFound() {
    try (Drill drill = Drill.onEmpty(REDIS)) {
      drill.add("a");
      drill.add("idle");
      drill.publish("m", "a");
      Claimed claimed = drill.claimOne("a");
      int partition = drill.partition("a");
      sweep(drill, partition);
      stepBack(drill, claimed);
      sweep(drill, partition);
      long leaseEndMs =
          Long.parseLong(
              String.valueOf(
                  drill.redis("ZSCORE", drill.key("a", "f:a"), "" + claimed.sequence())));
      assertThat(leaseEndMs - drill.bench.nowMs()).isBetween(0L, 10_200L);
      assertThat(drill.number("ZSCORE", drill.key("a", "active"), "a") - drill.bench.nowMs())
          .isBetween(0L, 10_200L);
    }
  }

  /** As if everything so far had happened on a clock that was an hour ahead. */
  private static void stepBack(Drill drill, Claimed claimed) {
    String sequence = Long.toString(claimed.sequence());
    long aheadMs = drill.bench.nowMs() + HOUR_MS;
    String lease = Long.toString(aheadMs + 10_100);
    drill.redis("ZADD", drill.key("a", "f:a"), lease, sequence);
    drill.redis("ZADD", drill.key("a", "active"), lease, "a");
    drill.redis("HSET", drill.key("a", "n"), "clock", Long.toString(aheadMs));
    String record = String.valueOf(drill.redis("HGET", drill.key("a", "d:a"), sequence));
    String moved = record.replace("" + claimed.claimedAtMs() + " ", aheadMs + " ");
    drill.redis("HSET", drill.key("a", "d:a"), sequence, moved);
  }

  private static Sweep sweep(Drill drill, int partition) {
    return drill.call(() -> drill.store.deliveries().sweep(partition, 99));
  }

  @Test
  void aPublishFromTheFutureIsGoneOnWith() {
    try (Drill drill = Drill.onEmpty(REDIS)) {
      drill.add("a");
      drill.add("b");
      drill.bench.leaveUnfinished(Drill.publication("m", List.of("a", "b")));
      int partition = drill.partition("a");
      String intents = drill.key("a", "intents");
      String intent = String.valueOf(list(drill.redis("ZRANGE", intents, "0", "-1")).get(0));
      drill.redis(
          "ZADD", drill.key("a", "intents"), Long.toString(drill.bench.nowMs() + HOUR_MS), intent);
      assertThat(drill.call(() -> drill.store.publishes().openIntents(partition, 5_000, 9)))
          .hasSize(1);
    }
  }
}
