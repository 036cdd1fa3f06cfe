package dev.weir.testkit.store;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.domain.outcome.Outcome;
import dev.weir.domain.outcome.Outcome.Budget;
import dev.weir.domain.outcome.Outcome.Health;
import dev.weir.domain.subscriber.Subscriber;
import dev.weir.domain.subscriber.Subscriber.OnAmbiguous;
import dev.weir.protocol.store.DeliveryStore.ClaimReply;
import dev.weir.protocol.store.DeliveryStore.Claimed;
import dev.weir.protocol.store.DeliveryStore.Limit;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The gate of a quota: cool-down, probe, ramp, breaker. */
interface GateContract extends ContractChapter {

  @Test
  default void anAnswerThatAsksToWaitClosesTheGate() {
    bench().add("a");
    bench().publishMany("m", 3, "a");
    Claimed claimed = bench().claimOne("a");
    assertThat(bench().settle(claimed, StoreBench.tooMany(60_000)).gateInMs())
        .isBetween(50_000L, 60_000L);
    ClaimReply reply = bench().claim("a", 2);
    assertThat(reply.deliveries()).isEmpty();
    assertThat(reply.limit()).isEqualTo(Limit.GATE);
    assertThat(reply.nextInMs()).isBetween(50_000L, 60_000L);
    assertThat(bench().counts("a").gateInMs()).isBetween(50_000L, 60_000L);
  }

  @Test
  default void aLaterSmallerWaitDoesNotShortenALongerOne() {
    bench().add("a");
    bench().publishMany("m", 3, "a");
    List<Claimed> claimed = bench().claim("a", 3).deliveries();
    bench().applies(claimed.get(0), StoreBench.tooMany(60_000));
    assertThat(bench().settle(claimed.get(1), StoreBench.tooMany(1_000)).gateInMs())
        .isGreaterThan(50_000);
    assertThat(bench().settle(claimed.get(2), StoreBench.tooMany(120_000)).gateInMs())
        .isBetween(110_000L, 120_000L);
  }

  @Test
  default void oneGateStopsAllWhoShareTheQuota() {
    bench().addSharing("account", "unlimited", 2, "a", "b");
    bench().publishMany("m", 2, "a", "b");
    bench().attempt("a", StoreBench.tooMany(60_000));
    assertThat(bench().claim("b", 1).limit()).isEqualTo(Limit.GATE);
    assertThat(bench().counts("b").gateInMs()).isPositive();
    assertThat(bench().call(() -> bench().store().config().quota("account")))
        .hasValueSatisfying(quota -> assertThat(quota.gateInMs()).isPositive());
  }

  @Test
  default void aSuccessThatWasUnderWayDoesNotOpenTheGate() {
    bench().add("a");
    bench().publishMany("m", 3, "a");
    List<Claimed> claimed = bench().claim("a", 2).deliveries();
    bench().applies(claimed.get(0), StoreBench.tooMany(60_000));
    bench().applies(claimed.get(1), StoreBench.delivered());
    assertThat(bench().claim("a", 1).limit()).isEqualTo(Limit.GATE);
  }

  @Test
  default void aGateThatOpensLetsOneProbeThrough() {
    Claimed probe = probeOf("a");
    assertThat(probe.probe()).isTrue();
    ClaimReply next = bench().claim("a", 5);
    assertThat(next.deliveries()).isEmpty();
    assertThat(next.limit()).isEqualTo(Limit.PROBE);
    assertThat(next.nextInMs()).isPositive();
  }

  /** Six waiting, the gate closed and over, and its probe claimed. */
  private Claimed probeOf(String id) {
    bench().add(id);
    bench().publishMany("m", 6, id);
    closeBriefly(id);
    ClaimReply reply = bench().claim(id, 5);
    assertThat(reply.deliveries()).hasSize(1);
    assertThat(reply.limit()).isEqualTo(Limit.PROBE);
    return reply.deliveries().get(0);
  }

  private void closeBriefly(String id) {
    bench().attempt(id, StoreBench.retry(StoreBench.HOUR_MS, Budget.RATE_LIMIT, 20));
    bench().advanceMs(40);
  }

  @Test
  default void ordinaryClaimsAreNoProbes() {
    bench().add("a");
    bench().publish("m", "a");
    assertThat(bench().claimOne("a").probe()).isFalse();
  }

  @Test
  default void theProbesSuccessOpensTheGateSlowly() {
    bench().add("a");
    bench().publishMany("m", 40, "a");
    closeBriefly("a");
    bench().attempt("a", StoreBench.delivered());
    ClaimReply slow = bench().claim("a", 32);
    assertThat(slow.limit()).isEqualTo(Limit.RAMP);
    assertThat(slow.nextInMs()).isGreaterThanOrEqualTo(0);
    assertThat(slow.deliveries()).hasSizeBetween(1, 31).noneMatch(Claimed::probe);
  }

  @Test
  default void theRampEndsAfterTenSeconds() {
    bench().needsSettableClock();
    bench().add("a");
    bench().publishMany("m", 40, "a");
    closeBriefly("a");
    bench().attempt("a", StoreBench.delivered());
    assertThat(bench().claim("a", 32).deliveries()).hasSize(3);
    bench().advance(Duration.ofSeconds(5));
    assertThat(bench().claim("a", 32).deliveries()).hasSize(17 - 3);
    bench().advance(Duration.ofSeconds(5));
    ClaimReply full = bench().claim("a", 32);
    assertThat(full.deliveries()).hasSize(32 - 17);
    assertThat(full.limit()).isEqualTo(Limit.IN_FLIGHT);
  }

  @Test
  default void afterItsProbeAQuotaBeginsWithOneToken() {
    bench().addPaced("a", "1/h", 5);
    bench().publishMany("m", 6, "a");
    closeBriefly("a");
    bench().attempt("a", StoreBench.delivered());
    assertThat(bench().level("a")).isBetween(0L, StoreBench.TOKEN + 10_000);
  }

  @Test
  default void theProbesFailureClosesTheGateAgain() {
    Claimed probe = probeOf("a");
    assertThat(bench().settle(probe, StoreBench.retry(0)).gateInMs()).isBetween(4_000L, 5_000L);
    assertThat(bench().claim("a", 1).limit()).isEqualTo(Limit.GATE);
  }

  @Test
  default void aProbeThatIsToldToWaitClosesTheGateForAsLong() {
    Claimed probe = probeOf("a");
    assertThat(bench().settle(probe, StoreBench.tooMany(60_000)).gateInMs())
        .isBetween(50_000L, 60_000L);
  }

  @Test
  default void aProbeThatWasReleasedMakesWayForAnother() {
    Claimed probe = probeOf("a");
    bench().release(List.of(probe));
    assertThat(bench().claim("a", 5).deliveries()).hasSize(1).allMatch(Claimed::probe);
  }

  @Test
  default void aProbeThatWasRecoveredMakesWayForAnother() {
    probeOf("a");
    bench().recover("a", bench().beginEpoch());
    assertThat(bench().claim("a", 5).deliveries()).hasSize(1).allMatch(Claimed::probe);
  }

  @Test
  default void aProbeWithoutAnOutcomeMakesWayWhenItsLeaseEnds() {
    bench()
        .add(
            StoreBench.impatient(StoreBench.subscriber("a"), OnAmbiguous.RETRY),
            StoreBench.quota("a", "unlimited", 2));
    bench().publishMany("m", 4, "a");
    closeBriefly("a");
    assertThat(bench().claim("a", 1).deliveries()).hasSize(1);
    bench().lapseShortLease();
    assertThat(bench().claim("a", 5).deliveries()).hasSize(1).allMatch(Claimed::probe);
  }

  @Test
  default void aPermanentRejectionOfTheProbeOpensTheGateToo() {
    Claimed probe = probeOf("a");
    bench().applies(probe, StoreBench.dead("HTTP 404"));
    ClaimReply next = bench().claim("a", 1);
    assertThat(next.deliveries()).hasSize(1).noneMatch(Claimed::probe);
  }

  @Test
  default void aProbeWhoseFailuresRanOutClosesTheGateAgain() {
    Claimed probe = probeOf("a");
    Outcome ranOut = new Outcome.Dead("503", false, Health.FAILING, Outcome.NO_GATE);
    assertThat(bench().settle(probe, ranOut).gateInMs()).isBetween(4_000L, 5_000L);
  }

  @Test
  default void oneForReconciliationMayCloseTheGateAndPause() {
    bench().add("a");
    bench().publishMany("m", 2, "a");
    Outcome outcome = new Outcome.Reconcile("429", 700_000_000, Health.UNTOLD, 604_800_000, true);
    bench().attempt("a", outcome);
    assertThat(bench().counts("a").gateInMs()).isBetween(604_700_000L, 604_800_000L);
    assertThat(bench().view("a").state()).isEqualTo(Subscriber.State.PAUSED);
    assertThat(bench().view("a").reason()).isEqualTo("429");
  }

  @Test
  default void oneProbeServesAllWhoShareTheQuota() {
    bench().addSharing("account", "unlimited", 2, "a", "b");
    bench().publishMany("m", 3, "a", "b");
    closeBriefly("a");
    Claimed probe = bench().claimOne("b");
    assertThat(probe.probe()).isTrue();
    assertThat(bench().claim("a", 1).limit()).isEqualTo(Limit.PROBE);
    bench().applies(probe, StoreBench.delivered());
    assertThat(bench().claim("a", 1).deliveries()).hasSize(1);
  }

  @Test
  default void aGateCanBeOpenedByHand() {
    bench().add("a");
    bench().publishMany("m", 3, "a");
    bench().attempt("a", StoreBench.tooMany(60_000));
    assertThat(bench().call(() -> bench().store().config().openGate("a"))).isTrue();
    assertThat(bench().counts("a").gateInMs()).isZero();
    assertThat(bench().claim("a", 1).deliveries()).hasSize(1);
    assertThat(bench().call(() -> bench().store().config().openGate("nobody"))).isFalse();
  }

  @Test
  default void tenFailuresInARowOverTenSecondsTripTheBreaker() {
    bench().needsSettableClock();
    bench().add("a");
    bench().publish("m", "a");
    for (int i = 1; i <= 9; i++) {
      bench().attempt("a", StoreBench.retry(0));
      assertThat(bench().counts("a").gateInMs()).isZero();
      bench().advance(Duration.ofMillis(1_250));
    }
    bench().attempt("a", StoreBench.retry(0));
    assertThat(bench().counts("a").gateInMs()).isEqualTo(5_000);
  }

  @Test
  default void tenFailuresWithinTenSecondsDoNotTripTheBreaker() {
    bench().needsSettableClock();
    bench().add("a");
    bench().publish("m", "a");
    for (int i = 1; i <= 12; i++) {
      bench().attempt("a", StoreBench.retry(0));
      bench().advance(Duration.ofMillis(500));
    }
    assertThat(bench().counts("a").gateInMs()).isZero();
  }

  @Test
  default void aSuccessBetweenFailuresBeginsTheCountAnew() {
    bench().needsSettableClock();
    bench().add("a");
    bench().publishMany("m", 2, "a");
    for (int i = 1; i <= 9; i++) {
      bench().attempt("a", StoreBench.retry(0));
      bench().advance(Duration.ofSeconds(2));
    }
    bench().attempt("a", StoreBench.delivered());
    bench().attempt("a", StoreBench.retry(0));
    assertThat(bench().counts("a").gateInMs()).isZero();
  }

  @Test
  default void answersThatAskToWaitDoNotTripTheBreaker() {
    bench().needsSettableClock();
    bench().add("a");
    bench().publish("m", "a");
    for (int i = 1; i <= 20; i++) {
      bench().attempt("a", StoreBench.retry(0, Budget.RATE_LIMIT, Outcome.Retry.NO_GATE));
      bench().advance(Duration.ofSeconds(2));
    }
    assertThat(bench().counts("a").gateInMs()).isZero();
  }

  @Test
  default void failuresThatWereUnderWayDoNotLengthenTheBreakersTime() {
    bench().needsSettableClock();
    bench().add("a");
    bench().publishMany("m", 32, "a");
    List<Claimed> underWay = bench().claim("a", 32).deliveries();
    for (Claimed claimed : underWay) {
      bench().applies(claimed, StoreBench.retry(StoreBench.HOUR_MS));
      bench().advance(Duration.ofMillis(1_200));
      assertThat(bench().counts("a").gateInMs()).isLessThanOrEqualTo(5_000);
    }
  }

  @Test
  default void eachFailedProbeDoublesTheBreakersTimeUpToFiveMinutes() {
    bench().needsSettableClock();
    bench().add("a");
    bench().publish("m", "a");
    for (int i = 1; i <= 10; i++) {
      bench().attempt("a", StoreBench.retry(0));
      bench().advance(Duration.ofMillis(i < 10 ? 1_250 : 0));
    }
    for (long seconds : List.of(5L, 10L, 20L, 40L, 80L, 160L, 300L, 300L)) {
      assertThat(bench().counts("a").gateInMs()).isEqualTo(seconds * 1_000);
      bench().advance(Duration.ofSeconds(seconds));
      Claimed probe = bench().attempt("a", StoreBench.retry(0));
      assertThat(probe.probe()).isTrue();
    }
    bench().advance(Duration.ofMinutes(5));
    bench().attempt("a", StoreBench.delivered());
    assertThat(bench().counts("a").gateInMs()).isZero();
  }
}
