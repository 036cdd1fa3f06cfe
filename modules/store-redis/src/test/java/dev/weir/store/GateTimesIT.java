package dev.weir.store;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.domain.outcome.Outcome;
import dev.weir.domain.outcome.Outcome.Budget;
import dev.weir.protocol.store.DeliveryStore.ClaimReply;
import dev.weir.protocol.store.DeliveryStore.Claimed;
import dev.weir.protocol.store.DeliveryStore.Limit;
import dev.weir.testkit.redis.RedisProcess;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;

/** Breaker, probe and ramp on the clock of Redis, with times short enough to wait for. */
final class GateTimesIT {

  private static final RedisProcess REDIS = RedisProcess.start("appendonly no");
  private static final long BASE_MS = 400;
  private static final long RAMP_MS = 600;

  @AfterAll
  static void stop() {
    REDIS.close();
  }

  private static StoreConfig quick() {
    StoreConfig normal = RedisBench.constants();
    return new StoreConfig(
        normal.ledger(),
        normal.trace(),
        normal.leaseMargin(),
        normal.slack(),
        3,
        Duration.ofMillis(20),
        Duration.ofMillis(BASE_MS),
        Duration.ofMillis(3 * BASE_MS),
        Duration.ofMillis(RAMP_MS),
        normal.fullPercent());
  }

  private static void trip(Drill drill) {
    List<Claimed> claimed = drill.claim("a", 4).deliveries();
    drill.settle(claimed.get(0), Drill.failure());
    drill.bench.advance(Duration.ofMillis(25));
    for (Claimed one : claimed.subList(1, 3)) {
      drill.settle(one, Drill.failure());
    }
  }

  private static Claimed probeAfter(Drill drill, long closedMs) {
    ClaimReply closed = drill.claim("a", 5);
    assertThat(closed.limit()).isEqualTo(Limit.GATE);
    assertThat(closed.nextInMs()).isLessThanOrEqualTo(closedMs);
    drill.bench.advance(Duration.ofMillis(closed.nextInMs() + 1));
    ClaimReply probe = drill.claim("a", 5);
    assertThat(probe.deliveries()).hasSize(1);
    assertThat(probe.deliveries().get(0).probe()).isTrue();
    assertThat(drill.claim("a", 5).limit()).isEqualTo(Limit.PROBE);
    return probe.deliveries().get(0);
  }

  @Test
  void theBreakerDoublesUntilAProbeSucceedsThenThePaceRamps() {
    try (Drill drill = Drill.onEmpty(REDIS, quick())) {
      drill.add("a");
      drill.publishMany("m", 40, "a");
      trip(drill);
      assertThat(drill.settle(probeAfter(drill, BASE_MS), Drill.failure()).gateInMs())
          .isBetween(BASE_MS + 1, 2 * BASE_MS);
      assertThat(drill.settle(probeAfter(drill, 2 * BASE_MS), Drill.failure()).gateInMs())
          .isBetween(2 * BASE_MS + 1, 3 * BASE_MS);
      Claimed probe = probeAfter(drill, 3 * BASE_MS);
      long beganNanos = System.nanoTime();
      assertThat(drill.settle(probe, Drill.delivered()).gateInMs()).isZero();
      drill.bench.advance(Duration.ofMillis(RAMP_MS));
      assertThat(drill.claim("a", 12).deliveries()).hasSize(12);
      assertThat(Duration.ofNanos(System.nanoTime() - beganNanos).toMillis())
          .isGreaterThanOrEqualTo(RAMP_MS);
      assertThat(drill.ofQuota("a", "ramp")).isZero();
      assertThat(drill.ofQuota("a", "opens")).isZero();
    }
  }

  @Test
  void aRampBeginsWithOneTokenNotWithTheBurst() {
    try (Drill drill = Drill.onEmpty(REDIS, quick())) {
      drill.add("a", "10/s", 10);
      drill.publishMany("m", 40, "a");
      trip(drill);
      drill.settle(probeAfter(drill, BASE_MS), Drill.delivered());
      ClaimReply first = drill.claim("a", 10);
      assertThat(first.deliveries().size()).isLessThanOrEqualTo(2);
      assertThat(first.limit()).isIn(Limit.RAMP, Limit.QUOTA);
    }
  }

  @Test
  void stragglersOfAnOutageDoNotDoubleTheWait() {
    try (Drill drill = Drill.onEmpty(REDIS, quick())) {
      drill.add("a");
      drill.publishMany("m", 40, "a");
      List<Claimed> stragglers = drill.claim("a", 20).deliveries();
      trip(drill);
      stragglers.forEach(one -> drill.settle(one, Drill.failure()));
      assertThat(drill.ofQuota("a", "opens")).isEqualTo(1);
      assertThat(drill.counts("a").gateInMs()).isLessThanOrEqualTo(BASE_MS);
      drill.settle(probeAfter(drill, BASE_MS), Drill.delivered());
      assertThat(drill.ofQuota("a", "fails")).isZero();
    }
  }

  @Test
  void aProbesSuccessOpensAGateThatAStragglerClosedMeanwhile() {
    try (Drill drill = Drill.onEmpty(REDIS, quick())) {
      drill.add("a");
      drill.publishMany("m", 40, "a");
      Claimed straggler = drill.claimOne("a");
      trip(drill);
      Claimed probe = probeAfter(drill, BASE_MS);
      drill.settle(straggler, Drill.retry(Budget.RATE_LIMIT, 60_000));
      assertThat(drill.settle(probe, Drill.delivered()).gateInMs()).isZero();
    }
  }

  @Test
  void aSiblingDoesNotWaitForTheLeaseOfAProbeThatIsOver() {
    try (Drill drill = Drill.onEmpty(REDIS, quick())) {
      drill.addSharing("account", "unlimited", 5, "a", "b");
      drill.publishMany("m", 3, "a", "b");
      Claimed first = drill.claim(drill.newClaim(), "account", "a", 1).deliveries().get(0);
      drill.settle("account", first, Drill.retry(Budget.RATE_LIMIT, 0));
      drill.bench.advance(Duration.ofMillis(2));
      Claimed probe = drill.claim(drill.newClaim(), "account", "a", 1).deliveries().get(0);
      assertThat(probe.probe()).isTrue();
      assertThat(drill.claim(drill.newClaim(), "account", "b", 1).limit()).isEqualTo(Limit.PROBE);
      drill.settle("account", probe, new Outcome.Reconcile("beyond seven days", 1));
      drill.call(() -> drill.store.config().pause("a", "by hand"));
      assertThat(
              drill.call(() -> drill.store.deliveries().sweep(drill.partition("account"), 9)).due())
          .extracting(due -> due.subscriber())
          .containsExactly("b");
    }
  }

  @Test
  void deletingTheHolderOfTheProbeFreesItForItsSiblings() {
    try (Drill drill = Drill.onEmpty(REDIS, quick())) {
      drill.addSharing("account", "unlimited", 5, "a", "b");
      drill.publishMany("m", 3, "a", "b");
      Claimed first = drill.claim(drill.newClaim(), "account", "a", 1).deliveries().get(0);
      drill.settle("account", first, Drill.retry(Budget.RATE_LIMIT, 0));
      drill.bench.advance(Duration.ofMillis(2));
      assertThat(drill.claim(drill.newClaim(), "account", "a", 1).deliveries()).hasSize(1);
      drill.call(() -> drill.store.config().deleteSubscriber("a"));
      assertThat(drill.claim(drill.newClaim(), "account", "b", 1).deliveries()).hasSize(1);
    }
  }
}
