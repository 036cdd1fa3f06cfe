package dev.weir.testkit.store;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.domain.subscriber.Subscriber.OnAmbiguous;
import dev.weir.protocol.store.ClaimId;
import dev.weir.protocol.store.DeliveryStore.ClaimReply;
import dev.weir.protocol.store.DeliveryStore.Claimed;
import dev.weir.protocol.store.DeliveryStore.Limit;
import dev.weir.protocol.store.DeliveryStore.Settled;
import dev.weir.protocol.store.DeliveryStore.Sweep;
import dev.weir.protocol.store.InspectionStore.State;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What happens to claims nobody settles, and how the home finds what is to be done. */
interface RecoveryContract extends ContractChapter {

  @Test
  default void aLapsedLeaseMakesItsDeliveryReadyOnce() {
    addImpatient("a", OnAmbiguous.RETRY);
    bench().publish("m", "a");
    Claimed lost = bench().claimOne("a");
    bench().lapseShortLease();
    Claimed again = bench().claimOne("a");
    assertThat(again.id()).isEqualTo(lost.id());
    assertThat(again.attempt()).isEqualTo(2);
    assertThat(again.failures()).isZero();
    assertThat(bench().claim("a", 1).deliveries()).isEmpty();
    assertThat(bench().settle(lost, StoreBench.retry(0)).settled()).isEqualTo(Settled.SUPERSEDED);
    bench().balance();
  }

  private void addImpatient(String id, OnAmbiguous onAmbiguous) {
    bench()
        .add(
            StoreBench.impatient(StoreBench.subscriber(id), onAmbiguous),
            StoreBench.quota(id, "unlimited", 2));
  }

  @Test
  default void aLapsedLeaseWaitsForAPersonWhereRepeatsAreHeld() {
    addImpatient("a", OnAmbiguous.HOLD);
    bench().publish("m", "a");
    Claimed lost = bench().claimOne("a");
    bench().lapseShortLease();
    assertThat(bench().claim("a", 1).deliveries()).isEmpty();
    assertThat(bench().state("m", "a")).isEqualTo(State.RECONCILING);
    assertThat(bench().look("m", "a").reason()).contains("ambiguous");
    bench().applies(lost, StoreBench.delivered());
  }

  @Test
  default void aFullCapOfLapsedLeasesFreesItself() {
    bench()
        .add(
            StoreBench.withCap(
                StoreBench.impatient(StoreBench.subscriber("a"), OnAmbiguous.RETRY), 1),
            StoreBench.quota("a", "unlimited", 2));
    bench().publishMany("m", 2, "a");
    bench().claimOne("a");
    ClaimReply full = bench().claim("a", 1);
    assertThat(full.limit()).isEqualTo(Limit.IN_FLIGHT);
    assertThat(full.nextInMs()).isBetween(1L, 100 + bench().harness().leaseMargin().toMillis());
    bench().lapseShortLease();
    assertThat(bench().claim("a", 1).deliveries()).hasSize(1);
  }

  @Test
  default void aLeaseOutlivesItsAttempt() {
    addImpatient("a", OnAmbiguous.RETRY);
    bench().publish("m", "a");
    bench().claimOne("a");
    if (bench().harness().clockIsSettable()) {
      bench().advanceMs(100 + bench().harness().leaseMargin().toMillis() - 1);
    }
    assertThat(bench().claim("a", 1).deliveries()).isEmpty();
  }

  @Test
  default void releasedClaimsAreReadyAgainUncountedAndInTheirOldOrder() {
    bench().add("a");
    for (int i = 0; i < 4; i++) {
      bench().publish("m" + i, "a");
      bench().advanceMs(2);
    }
    List<Claimed> claimed = bench().claim("a", 3).deliveries();
    bench().release(claimed.subList(0, 2));
    assertThat(bench().counts("a").inFlight()).isEqualTo(1);
    List<Claimed> again = bench().claim("a", 9).deliveries();
    assertThat(StoreBench.ids(again)).containsExactly("m0", "m1", "m3");
    assertThat(again).allMatch(one -> one.attempt() == 1 && one.failures() == 0);
  }

  @Test
  default void releasingTwiceIsReleasingOnce() {
    bench().add("a");
    bench().publish("m", "a");
    List<Claimed> claimed = bench().claim("a", 1).deliveries();
    bench().release(claimed);
    bench().release(claimed);
    Claimed again = bench().claimOne("a");
    assertThat(again.attempt()).isEqualTo(1);
    bench().release(claimed);
    assertThat(bench().state("m", "a")).isEqualTo(State.ATTEMPTING);
  }

  @Test
  default void aClaimIsReleasedOnlyByWhoHoldsIt() {
    bench().add("a");
    bench().publishMany("m", 2, "a");
    List<Claimed> claimed = bench().claim("a", 2).deliveries();
    ClaimId other = bench().newClaim();
    bench()
        .call(() -> bench().store().deliveries().release(bench().partition("a"), other, claimed));
    assertThat(bench().counts("a").inFlight()).isEqualTo(2);
    bench().applies(claimed.get(0), StoreBench.delivered());
    bench().release(claimed);
    assertThat(bench().counts("a").inFlight()).isZero();
    assertThat(bench().counts("a").ready()).isEqualTo(1);
  }

  @Test
  default void aNewEpochRecoversTheClaimsOfOlderOnesOnly() {
    bench().add("a");
    bench().publishMany("m", 4, "a");
    bench().claim("a", 2);
    long epoch = bench().beginEpoch();
    Claimed current = bench().claimOne("a");
    assertThat(bench().recover("a", epoch)).isEqualTo(2);
    assertThat(bench().recover("a", epoch)).isZero();
    assertThat(bench().counts("a").inFlight()).isEqualTo(1);
    assertThat(bench().counts("a").ready()).isEqualTo(3);
    bench().applies(current, StoreBench.delivered());
    assertThat(bench().claim("a", 9).deliveries())
        .extracting(Claimed::attempt)
        .containsExactlyInAnyOrder(1, 2, 2);
  }

  @Test
  default void recoveryGoesInBoundedSteps() {
    bench().addSharing("account", "unlimited", 2, "a", "b");
    bench().publishMany("m", 5, "a", "b");
    bench().claim("a", 5);
    bench().claim("b", 5);
    long epoch = bench().beginEpoch();
    int partition = bench().partition("a");
    int recovered = 0;
    for (int step : List.of(4, 4, 2)) {
      assertThat(bench().call(() -> bench().store().deliveries().recover(partition, epoch, 4)))
          .isEqualTo(step);
      recovered += step;
    }
    assertThat(recovered).isEqualTo(10);
    assertThat(bench().counts("a").ready() + bench().counts("b").ready()).isEqualTo(10);
  }

  @Test
  default void recoveryHoldsWhatMustNotBeRepeated() {
    addImpatient("a", OnAmbiguous.HOLD);
    bench().publish("m", "a");
    bench().claimOne("a");
    bench().recover("a", bench().beginEpoch());
    assertThat(bench().state("m", "a")).isEqualTo(State.RECONCILING);
  }

  @Test
  default void aSweepOfNothingIsEmpty() {
    bench().add("a");
    assertThat(sweep("a")).isEqualTo(new Sweep(List.of(), -1));
  }

  private Sweep sweep(String subscriber) {
    return sweep(subscriber, 10);
  }

  private Sweep sweep(String subscriber, int limit) {
    int partition = bench().partition(subscriber);
    return bench().call(() -> bench().store().deliveries().sweep(partition, limit));
  }

  @Test
  default void aSweepFindsWhoHasWork() {
    bench().addSharing("account", "unlimited", 2, "idle", "busy", "later");
    bench().publish("m", "busy");
    bench().publishDelayed("n", StoreBench.HOUR_MS, "later");
    Sweep sweep = sweep("busy");
    assertThat(sweep.due()).extracting(due -> due.subscriber()).containsExactly("busy");
    assertThat(sweep.due()).allMatch(due -> due.overdueMs() >= 0);
    assertThat(sweep.nextInMs()).isBetween(StoreBench.HOUR_MS - 60_000, StoreBench.HOUR_MS);
  }

  @Test
  default void aSweepSaysTheMostOverdueFirstWithinItsLimit() {
    bench().addSharing("account", "unlimited", 2, "a", "b", "c");
    for (String id : List.of("b", "c", "a")) {
      bench().publish("m", id);
      bench().advanceMs(15);
    }
    Sweep sweep = sweep("a", 2);
    assertThat(sweep.due()).extracting(due -> due.subscriber()).containsExactly("b", "c");
    assertThat(sweep.due().get(0).overdueMs()).isGreaterThanOrEqualTo(30);
    assertThat(sweep.nextInMs()).isZero();
  }

  @Test
  default void aDelayedOneShowsInTheSweepWhenItIsDue() {
    bench().add("a");
    bench().publishDelayed("m", 60_000, "a");
    assertThat(sweep("a").due()).isEmpty();
    bench().publishDelayed("n", 30, "a");
    bench().advanceMs(50);
    assertThat(sweep("a").due()).hasSize(1);
  }

  @Test
  default void whoIsPausedIsNotSweptUntilResumed() {
    bench().add("a");
    bench().publish("m", "a");
    bench().call(() -> bench().store().config().pause("a", "holiday"));
    assertThat(sweep("a")).isEqualTo(new Sweep(List.of(), -1));
    bench().call(() -> bench().store().config().resume("a"));
    assertThat(sweep("a").due()).hasSize(1);
  }

  @Test
  default void whoWaitsForAGateIsDueWhenItOpens() {
    bench().add("a");
    bench().publishMany("m", 2, "a");
    bench().attempt("a", StoreBench.tooMany(60_000));
    Sweep closed = sweep("a");
    assertThat(closed.due()).isEmpty();
    assertThat(closed.nextInMs()).isBetween(50_000L, 60_000L);
    bench().call(() -> bench().store().config().openGate("a"));
    assertThat(sweep("a").due()).hasSize(1);
  }

  @Test
  default void whoWaitsForATokenIsDueWhenItComes() {
    bench().addPaced("a", "1/h", 1);
    bench().publishMany("m", 2, "a");
    bench().attempt("a", StoreBench.delivered());
    Sweep spent = sweep("a");
    assertThat(spent.due()).isEmpty();
    assertThat(spent.nextInMs()).isBetween(StoreBench.HOUR_MS - 60_000, StoreBench.HOUR_MS);
  }

  @Test
  default void whoHasAFullCapIsDueWhenALeaseEnds() {
    bench()
        .add(
            StoreBench.withCap(StoreBench.subscriber("a"), 1),
            StoreBench.quota("a", "unlimited", 2));
    bench().publishMany("m", 2, "a");
    bench().claimOne("a");
    Sweep full = sweep("a");
    assertThat(full.due()).isEmpty();
    long leaseMs = 15_000 + bench().harness().leaseMargin().toMillis();
    assertThat(full.nextInMs()).isBetween(leaseMs - 10_000, leaseMs);
  }

  @Test
  default void aLapsedLeaseShowsInTheSweep() {
    addImpatient("a", OnAmbiguous.RETRY);
    bench().publish("m", "a");
    bench().claimOne("a");
    assertThat(sweep("a").due()).isEmpty();
    bench().lapseShortLease();
    assertThat(sweep("a").due()).hasSize(1);
  }

  @Test
  default void aLapsedLeaseOfAPausedSubscriberShowsInTheSweepToo() {
    addImpatient("a", OnAmbiguous.RETRY);
    bench().publish("m", "a");
    bench().claimOne("a");
    bench().call(() -> bench().store().config().pause("a", "holiday"));
    bench().lapseShortLease();
    assertThat(sweep("a").due()).hasSize(1);
    assertThat(bench().claim("a", 1).limit()).isEqualTo(Limit.PAUSED);
    assertThat(sweep("a")).isEqualTo(new Sweep(List.of(), -1));
    assertThat(bench().counts("a").ready()).isEqualTo(1);
  }
}
