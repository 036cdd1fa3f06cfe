package dev.weir.store;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.domain.outcome.Outcome.Budget;
import dev.weir.domain.quota.Quota;
import dev.weir.domain.quota.Rate;
import dev.weir.protocol.store.DeliveryStore.Claimed;
import dev.weir.protocol.store.DeliveryStore.Limit;
import dev.weir.testkit.redis.RedisProcess;
import java.math.BigInteger;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The evidence of spent tokens: exact, never credited too much, and there after a restart. */
final class TokensIT {

  private static final RedisProcess REDIS = RedisProcess.start("appendfsync always");

  @AfterAll
  static void stop() {
    REDIS.close();
  }

  @ParameterizedTest
  @ValueSource(strings = {"1/day", "5/h", "7/min", "0.3/s", "3/s", "997/s", "100000/s"})
  void eachTokenMovesTheTatByExactlyItsTime(String text) {
    Rate rate = Rate.parse(text);
    try (Drill drill = Drill.onEmpty(REDIS)) {
      drill.add("a", text, 1_000_000);
      drill.publishMany("m", 60, "a");
      // Ahead of now, so that a claim adds to it and to nothing else.
      long aheadUs = (drill.bench.nowMs() + 2_000) * 1_000;
      String key = drill.key("a", "q:a");
      drill.redis("HSET", key, "tat", Long.toString(aheadUs), "tatf", "0");
      BigInteger n = BigInteger.valueOf(rate.tokens());
      BigInteger expected = BigInteger.valueOf(aheadUs).multiply(n);
      Random random = new Random(1);
      for (int left = 60; left > 0; ) {
        int count = drill.claim("a", 1 + random.nextInt(7)).deliveries().size();
        left -= count;
        expected = expected.add(BigInteger.valueOf(rate.periodMicros() * count));
        BigInteger[] parts = expected.divideAndRemainder(n);
        assertThat(drill.ofQuota("a", "tat")).isEqualTo(parts[0].longValueExact());
        assertThat(drill.ofQuota("a", "tatf")).isEqualTo(parts[1].longValueExact());
      }
    }
  }

  private record Kept(long atMs, int count) {}

  /** Whatever is claimed and given back: what is kept stays within burst + rate × window. */
  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5})
  void refundsNeverLetTheKeptClaimsExceedTheQuota(long seed) {
    Random random = new Random(seed);
    int rate = 200;
    int burst = 5;
    try (Drill drill = Drill.onEmpty(REDIS, exact())) {
      drill.addSharing("account", rate + "/s", burst, "a", "b");
      drill.publishMany("m", 60, "a", "b");
      List<Kept> kept = new ArrayList<>();
      List<List<Claimed>> open = new ArrayList<>();
      for (int i = 0; i < 250; i++) {
        if (random.nextInt(3) > 0 || open.isEmpty()) {
          String id = random.nextBoolean() ? "a" : "b";
          List<Claimed> claimed =
              drill.claim(drill.newClaim(), "account", id, 1 + random.nextInt(5)).deliveries();
          if (!claimed.isEmpty()) {
            open.add(claimed);
          }
        } else {
          List<Claimed> claimed = open.remove(random.nextInt(open.size()));
          int back = random.nextInt(claimed.size() + 1);
          if (back > 0) {
            drill.release("account", claimed.subList(0, back));
          }
          keep(drill, kept, claimed.subList(back, claimed.size()));
        }
        if (random.nextInt(5) == 0) {
          drill.bench.advance(Duration.ofMillis(random.nextInt(15)));
        }
      }
      open.forEach(claimed -> keep(drill, kept, claimed));
      assertWithin(kept, rate, burst);
    }
  }

  private static void keep(Drill drill, List<Kept> kept, List<Claimed> claimed) {
    for (Claimed one : claimed) {
      kept.add(new Kept(one.claimedAtMs(), 1));
      drill.settle("account", one, Drill.failure());
    }
  }

  private static void assertWithin(List<Kept> kept, int rate, int burst) {
    List<Kept> sorted = new ArrayList<>(kept);
    sorted.sort((x, y) -> Long.compare(x.atMs(), y.atMs()));
    for (int from = 0; from < sorted.size(); from++) {
      int sum = 0;
      for (int to = from; to < sorted.size(); to++) {
        sum += sorted.get(to).count();
        // Instants are given in whole ms, so a window may be one longer than it looks.
        double windowMs = sorted.get(to).atMs() - sorted.get(from).atMs() + 1;
        assertThat((double) sum).isLessThanOrEqualTo(burst + rate * windowMs / 1_000);
      }
    }
  }

  private static StoreConfig exact() {
    StoreConfig normal = RedisBench.constants();
    return new StoreConfig(
        normal.ledger(),
        normal.trace(),
        normal.leaseMargin(),
        Duration.ZERO,
        1_000_000,
        normal.breakerSpan(),
        normal.breakerBase(),
        normal.breakerMax(),
        normal.ramp(),
        normal.fullPercent());
  }

  @Test
  void tokensThatWereWorthAnotherTimeAreNotRefunded() {
    try (Drill drill = Drill.onEmpty(REDIS, exact())) {
      drill.add("a", "1000/s", 10);
      drill.publishMany("m", 30, "a");
      List<Claimed> back = drill.claim("a", 10).deliveries();
      drill.bench.advance(Duration.ofMillis(12));
      // The bucket is full again and these ten are kept: none is left, and none accrues from now
      // on.
      assertThat(drill.claim("a", 10).deliveries()).hasSize(10);
      Quota slow = new Quota("a", Rate.parse("1/h"), 10);
      drill.call(() -> drill.store.config().putSubscriber(Drill.subscriber("a", "a"), slow));
      drill.release("a", back);
      assertThat(drill.claim("a", 10).limit()).isEqualTo(Limit.QUOTA);
    }
  }

  @Test
  void puttingTheSameQuotaAgainChangesNothing() {
    try (Drill drill = Drill.onEmpty(REDIS)) {
      drill.add("a", "7/h", 10);
      drill.publishMany("m", 3, "a");
      drill.claim("a", 3);
      long before = drill.ofQuota("a", "tat");
      drill.add("a", "7/h", 10);
      assertThat(drill.ofQuota("a", "tat")).isEqualTo(before);
    }
  }

  @Test
  void tokensAndGateSurviveAKillOfRedis() {
    try (Drill drill = Drill.onEmpty(REDIS)) {
      drill.add("a", "5/h", 3);
      drill.add("gated");
      drill.publishMany("m", 5, "a", "gated");
      assertThat(drill.claim("a", 5).deliveries()).hasSize(3);
      drill.settle(drill.claimOne("gated"), Drill.retry(Budget.RATE_LIMIT, 600_000));
    }
    REDIS.kill();
    REDIS.restart();
    try (Drill drill = Drill.onKept(REDIS)) {
      assertThat(drill.level("a")).isLessThan(100_000);
      assertThat(drill.claim("a", 1).limit()).isEqualTo(Limit.QUOTA);
      assertThat(drill.claim("gated", 1).limit()).isEqualTo(Limit.GATE);
      assertThat(drill.counts("gated").gateInMs()).isBetween(500_000L, 600_000L);
      drill.balances();
    }
  }

  @Test
  void whenTheClockStepsBackABucketOwesWhatItOwed() {
    try (Drill drill = Drill.onEmpty(REDIS)) {
      drill.add("a", "1/s", 5);
      drill.publishMany("m", 9, "a");
      drill.claim("a", 3);
      long hourMs = 3_600_000;
      long atMs = drill.bench.nowMs() + hourMs;
      String key = drill.key("a", "q:a");
      // As if the clock had been an hour ahead when three tokens were owed.
      drill.redis(
          "HSET", key, "tat", Long.toString((atMs + 3_000) * 1_000), "tatat", Long.toString(atMs));
      assertThat(drill.level("a")).isBetween(1_900_000L, 2_100_000L);
    }
  }
}
