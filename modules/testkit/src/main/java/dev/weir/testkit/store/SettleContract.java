package dev.weir.testkit.store;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.domain.message.DeliveryId;
import dev.weir.domain.message.MessageId;
import dev.weir.domain.outcome.Outcome;
import dev.weir.domain.outcome.Outcome.Budget;
import dev.weir.domain.subscriber.Subscriber;
import dev.weir.protocol.store.DeliveryStore.Claimed;
import dev.weir.protocol.store.DeliveryStore.Limit;
import dev.weir.protocol.store.DeliveryStore.SettleReply;
import dev.weir.protocol.store.DeliveryStore.Settled;
import dev.weir.protocol.store.DeliveryStore.Settlement;
import dev.weir.protocol.store.InspectionStore.Change;
import dev.weir.protocol.store.InspectionStore.DeliveryView;
import dev.weir.protocol.store.InspectionStore.State;
import dev.weir.protocol.store.PublishStore.Published.Accepted;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Recording outcomes, once, whoever reports them and how often. */
interface SettleContract extends ContractChapter {

  String SETTLED_AT = ",\"settledAt\":\"\\d{4}-\\d\\d-\\d\\dT[0-9:.]{12}Z\"}$";

  @Test
  default void aDeliveredOneLeavesAndIsInTheLedger() {
    bench().add("a");
    bench().publish("m", "a");
    bench().attempt("a", StoreBench.delivered());
    assertThat(bench().state("m", "a")).isEqualTo(State.DONE);
    assertThat(bench().counts("a").delivered()).isEqualTo(1);
    assertThat(bench().counts("a").pending()).isZero();
    assertThat(bench().balance().bodies()).isZero();
  }

  @Test
  default void deliveredIsFinal() {
    bench().add("a");
    bench().publish("m", "a");
    bench().attempt("a", StoreBench.delivered());
    assertThat(bench().publish("m", "a"))
        .isEqualTo(new Accepted(List.of(StoreBench.delivery("m", "a")), List.of()));
    DeliveryId id = StoreBench.delivery("m", "a");
    assertThat(bench().call(() -> bench().store().inspection().redrive(id)))
        .isEqualTo(Change.DELIVERED);
    assertThat(bench().call(() -> bench().store().inspection().cancel(id)))
        .isEqualTo(Change.DELIVERED);
    assertThat(bench().call(() -> bench().store().inspection().reschedule(id, bench().nowMs())))
        .isEqualTo(Change.DELIVERED);
    assertThat(bench().claim("a", 9).deliveries()).isEmpty();
    assertThat(bench().counts("a").accepted()).isEqualTo(1);
    bench().balance();
  }

  @Test
  default void aRetriedOneIsScheduledAndComesBack() {
    bench().add("a");
    bench().publish("m", "a");
    long beforeMs = bench().nowMs();
    bench().attempt("a", StoreBench.retry(30));
    DeliveryView view = bench().look("m", "a");
    assertThat(view.delivery().state()).isEqualTo(State.RETRY_SCHEDULED);
    assertThat(view.nextAtMs()).isGreaterThanOrEqualTo(beforeMs + 30);
    assertThat(view.reason()).isEqualTo("503");
    assertThat(bench().counts("a").delayed()).isEqualTo(1);
    bench().advanceMs(50);
    assertThat(bench().claimOne("a").attempt()).isEqualTo(2);
  }

  @Test
  default void aDeadOneIsADeadLetterWithItsReason() {
    bench().add("a");
    bench().publish("m", "a");
    bench().attempt("a", StoreBench.dead("HTTP 404"));
    assertThat(bench().state("m", "a")).isEqualTo(State.DEAD);
    assertThat(bench().look("m", "a").reason()).isEqualTo("HTTP 404");
    assertThat(bench().counts("a").dead()).isEqualTo(1);
    assertThat(bench().claim("a", 1).deliveries()).isEmpty();
    assertThat(bench().balance().bodies()).isEqualTo(1);
  }

  @Test
  default void oneForReconciliationKeepsTheWaitThatWasAskedFor() {
    bench().add("a");
    bench().publish("m", "a");
    bench().attempt("a", StoreBench.reconcile("beyond seven days", 864_000_000));
    DeliveryView view = bench().look("m", "a");
    assertThat(view.delivery().state()).isEqualTo(State.RECONCILING);
    assertThat(view.reason()).isEqualTo("beyond seven days");
    assertThat(view.askedDelayMs()).isEqualTo(864_000_000);
    assertThat(bench().counts("a").reconciling()).isEqualTo(1);
    assertThat(bench().claim("a", 1).deliveries()).isEmpty();
  }

  @Test
  default void everyOutcomeRepeatedIsAlreadyRecorded() {
    bench().add("a");
    List<Outcome> outcomes =
        List.of(
            StoreBench.delivered(),
            StoreBench.retry(StoreBench.HOUR_MS),
            StoreBench.dead("404"),
            StoreBench.reconcile("held", -1));
    List<State> states = List.of(State.DONE, State.RETRY_SCHEDULED, State.DEAD, State.RECONCILING);
    for (int i = 0; i < outcomes.size(); i++) {
      bench().publish("m" + i, "a");
      Claimed claimed = bench().attempt("a", outcomes.get(i));
      for (int repeat = 0; repeat < 3; repeat++) {
        assertThat(bench().settle(claimed, outcomes.get(i)).settled()).isEqualTo(Settled.ALREADY);
      }
      assertThat(bench().state("m" + i, "a")).isEqualTo(states.get(i));
    }
    assertThat(bench().counts("a").delivered()).isEqualTo(1);
    assertThat(bench().counts("a").delayed()).isEqualTo(1);
    assertThat(bench().counts("a").dead()).isEqualTo(1);
    assertThat(bench().counts("a").reconciling()).isEqualTo(1);
    bench().balance();
  }

  @Test
  default void aRepeatedRetryCountsItsFailureOnce() {
    bench().add("a");
    bench().publish("m", "a");
    Claimed claimed = bench().attempt("a", StoreBench.retry(0));
    bench().settle(claimed, StoreBench.retry(0));
    assertThat(bench().claimOne("a").failures()).isEqualTo(1);
    assertThat(bench().settle(claimed, StoreBench.retry(0)).settled())
        .isIn(Settled.ALREADY, Settled.SUPERSEDED);
    assertThat(bench().state("m", "a")).isEqualTo(State.ATTEMPTING);
  }

  @Test
  default void aStaleFailureChangesNothing() {
    bench().add("a");
    bench().publish("m", "a");
    Claimed stale = bench().claimThatBecomesStale("a");
    Claimed current = bench().claimOne("a");
    for (Outcome failure :
        List.of(
            StoreBench.retry(0),
            StoreBench.tooMany(60_000),
            new Outcome.Dead("410", true),
            StoreBench.reconcile("held", -1))) {
      SettleReply reply = bench().settle(stale, failure);
      assertThat(reply.settled()).isEqualTo(Settled.SUPERSEDED);
      assertThat(reply.gateInMs()).isZero();
    }
    assertThat(bench().state("m", "a")).isEqualTo(State.ATTEMPTING);
    assertThat(bench().view("a").state()).isEqualTo(Subscriber.State.ACTIVE);
    bench().applies(current, StoreBench.retry(0));
    assertThat(bench().claimOne("a").failures()).isEqualTo(1);
  }

  @Test
  default void aStaleSuccessDeliversWhatIsReadyAgain() {
    bench().add("a");
    bench().publish("m", "a");
    staleSuccessDelivers(bench().claimThatBecomesStale("a"));
    assertThat(bench().claim("a", 1).deliveries()).isEmpty();
  }

  @Test
  default void aStaleSuccessDeliversWhatAnotherHolds() {
    bench().add("a");
    bench().publish("m", "a");
    Claimed stale = bench().claimThatBecomesStale("a");
    Claimed other = bench().claimOne("a");
    staleSuccessDelivers(stale);
    assertThat(bench().counts("a").inFlight()).isZero();
    assertThat(bench().settle(other, StoreBench.delivered()).settled()).isEqualTo(Settled.ALREADY);
    assertThat(bench().settle(other, StoreBench.retry(0)).settled())
        .isIn(Settled.SUPERSEDED, Settled.ALREADY);
    assertThat(bench().state("m", "a")).isEqualTo(State.DONE);
    bench().balance();
  }

  @Test
  default void aStaleSuccessDeliversWhatAnotherPutOff() {
    bench().add("a");
    bench().publish("m", "a");
    Claimed stale = bench().claimThatBecomesStale("a");
    bench().attempt("a", StoreBench.retry(StoreBench.HOUR_MS));
    staleSuccessDelivers(stale);
    assertThat(bench().counts("a").delayed()).isZero();
  }

  @Test
  default void aStaleSuccessDeliversWhatAnotherGaveUp() {
    bench().add("a");
    bench().publish("m", "a");
    Claimed stale = bench().claimThatBecomesStale("a");
    bench().attempt("a", StoreBench.dead("404"));
    staleSuccessDelivers(stale);
    assertThat(bench().counts("a").dead()).isZero();
    assertThat(bench().call(() -> bench().store().inspection().deadLetters("a", null, 10)).items())
        .isEmpty();
  }

  @Test
  default void aStaleSuccessDeliversWhatWaitsForAPerson() {
    bench().add("a");
    bench().publish("m", "a");
    Claimed stale = bench().claimThatBecomesStale("a");
    bench().attempt("a", StoreBench.reconcile("held", -1));
    staleSuccessDelivers(stale);
    assertThat(bench().counts("a").reconciling()).isZero();
  }

  private void staleSuccessDelivers(Claimed stale) {
    bench().applies(stale, StoreBench.delivered());
    assertThat(bench().settle(stale, StoreBench.delivered()).settled()).isEqualTo(Settled.ALREADY);
    assertThat(bench().state("m", "a")).isEqualTo(State.DONE);
    assertThat(bench().counts("a").delivered()).isEqualTo(1);
    bench().balance();
  }

  @Test
  default void cancelledIsFinalAlsoForALateSuccess() {
    bench().add("a");
    bench().publish("m", "a");
    Claimed stale = bench().claimThatBecomesStale("a");
    DeliveryId id = StoreBench.delivery("m", "a");
    assertThat(bench().call(() -> bench().store().inspection().cancel(id)))
        .isEqualTo(Change.CHANGED);
    assertThat(bench().settle(stale, StoreBench.delivered()).settled()).isEqualTo(Settled.ALREADY);
    assertThat(bench().state("m", "a")).isEqualTo(State.CANCELLED);
    assertThat(bench().counts("a").delivered()).isZero();
  }

  @Test
  default void aReleasedClaimSettlesLikeAStaleOne() {
    bench().add("a");
    bench().publish("m", "a");
    Claimed released = bench().claimOne("a");
    bench().release(List.of(released));
    assertThat(bench().settle(released, StoreBench.retry(0)).settled())
        .isEqualTo(Settled.SUPERSEDED);
    assertThat(bench().state("m", "a")).isEqualTo(State.READY);
    bench().applies(released, StoreBench.delivered());
  }

  @Test
  default void whatNobodyKnowsIsAnsweredSo() {
    bench().add("a");
    bench().publish("m", "a");
    Claimed claimed = bench().claimOne("a");
    Settlement otherMessage =
        new Settlement(
            new DeliveryId(MessageId.of("never published"), "a"),
            claimed.sequence() + 1_000,
            claimed.claim(),
            StoreBench.delivered(),
            null,
            false);
    assertThat(bench().settle("a", otherMessage).get(0).settled()).isEqualTo(Settled.UNKNOWN);
    Settlement otherSubscriber =
        new Settlement(
            new DeliveryId(MessageId.of("m"), "nobody"),
            claimed.sequence(),
            claimed.claim(),
            StoreBench.delivered(),
            null,
            false);
    assertThat(bench().settle("a", otherSubscriber).get(0).settled()).isEqualTo(Settled.UNKNOWN);
    assertThat(bench().state("m", "a")).isEqualTo(State.ATTEMPTING);
  }

  @Test
  default void aBatchIsAnsweredInItsOrder() {
    bench().addSharing("account", "unlimited", 2, "a", "b");
    bench().publishMany("m", 2, "a", "b");
    List<Claimed> ofA = bench().claim("a", 2).deliveries();
    Claimed ofB = bench().claimOne("b");
    bench().applies(ofA.get(0), StoreBench.delivered());
    List<SettleReply> replies =
        bench()
            .settle(
                "a",
                StoreBench.settlement(ofA.get(1), StoreBench.dead("404")),
                StoreBench.settlement(ofA.get(0), StoreBench.delivered()),
                StoreBench.settlement(ofB, StoreBench.tooMany(60_000)));
    assertThat(replies)
        .extracting(SettleReply::settled)
        .containsExactly(Settled.APPLIED, Settled.ALREADY, Settled.APPLIED);
    assertThat(replies.get(0).gateInMs()).isZero();
    assertThat(replies.get(2).gateInMs()).isBetween(1L, 60_000L);
  }

  @Test
  default void theSameDeliveryTwiceInOneBatchIsRecordedOnce() {
    bench().add("a");
    bench().publish("m", "a");
    Claimed claimed = bench().claimOne("a");
    Settlement settlement = StoreBench.settlement(claimed, StoreBench.delivered());
    assertThat(bench().settle("a", settlement, settlement))
        .extracting(SettleReply::settled)
        .containsExactly(Settled.APPLIED, Settled.ALREADY);
    assertThat(bench().counts("a").delivered()).isEqualTo(1);
  }

  @Test
  default void goneDisablesTheSubscriberInTheSameStep() {
    bench().add("a");
    bench().publishMany("m", 2, "a");
    long version = bench().view("a").version();
    bench().attempt("a", new Outcome.Dead("HTTP 410", true));
    assertThat(bench().view("a").state()).isEqualTo(Subscriber.State.DISABLED);
    assertThat(bench().view("a").reason()).isEqualTo("HTTP 410");
    assertThat(bench().view("a").version()).isGreaterThan(version);
    assertThat(bench().claim("a", 1).limit()).isEqualTo(Limit.PAUSED);
    bench().call(() -> bench().store().config().resume("a"));
    assertThat(bench().view("a").state()).isEqualTo(Subscriber.State.ACTIVE);
    assertThat(bench().claim("a", 1).deliveries()).hasSize(1);
  }

  @Test
  default void aStatusThatPausesDoesSoInTheSameStep() {
    bench().add("a");
    bench().publishMany("m", 2, "a");
    long version = bench().view("a").version();
    bench()
        .attempt(
            "a",
            new Outcome.Retry(0, "HTTP 401", Budget.FAILURE, Outcome.Retry.NO_GATE, false, true));
    assertThat(bench().view("a").state()).isEqualTo(Subscriber.State.PAUSED);
    assertThat(bench().view("a").reason()).isEqualTo("HTTP 401");
    assertThat(bench().view("a").version()).isGreaterThan(version);
    assertThat(bench().claim("a", 1).limit()).isEqualTo(Limit.PAUSED);
    assertThat(bench().counts("a").pending()).isEqualTo(2);
  }

  @Test
  default void theTraceKeepsTheFirstTwoAndTheLastFourteen() {
    bench().add("a");
    bench().publish("m", "a");
    for (int i = 1; i <= 20; i++) {
      bench().attempt("a", StoreBench.retry(0, Budget.NONE, Outcome.Retry.NO_GATE));
    }
    DeliveryView view = bench().look("m", "a");
    assertThat(view.attempts()).hasSize(16);
    assertThat(view.omitted()).isEqualTo(4);
    assertThat(view.attempts().get(0)).contains("\"attempt\":1").containsPattern(SETTLED_AT);
    assertThat(view.attempts().get(1)).contains("\"attempt\":2");
    assertThat(view.attempts().get(2)).contains("\"attempt\":7");
    assertThat(view.attempts().get(15)).contains("\"attempt\":20");
  }

  @Test
  default void aDeliveredOnesTraceIsKeptWhenItIsWorthIt() {
    bench().add("a");
    bench().publish("m", "a");
    bench().attempt("a", StoreBench.retry(0));
    bench().attempt("a", StoreBench.delivered());
    assertThat(bench().look("m", "a").attempts())
        .hasSize(2)
        .allSatisfy(line -> assertThat(line).containsPattern(SETTLED_AT));
    bench().publish("n", "a");
    Claimed plain = bench().claimOne("a");
    bench()
        .settle(
            "a",
            new Settlement(
                plain.id(),
                plain.sequence(),
                plain.claim(),
                StoreBench.delivered(),
                "{\"attempt\":1}",
                false));
    assertThat(bench().look("n", "a").attempts()).isEmpty();
    assertThat(bench().look("n", "a").delivery().attempts()).isEqualTo(1);
  }

  @Test
  default void aTraceMayHoldAnyText() {
    bench().add("a");
    bench().publish("m", "a");
    Claimed claimed = bench().claimOne("a");
    String line = "{\"excerpt\":\"é\\n\\t{}|:%25 \uD83D\uDE9A\"}";
    bench()
        .settle(
            "a",
            new Settlement(
                claimed.id(),
                claimed.sequence(),
                claimed.claim(),
                StoreBench.retry(StoreBench.HOUR_MS),
                line,
                true));
    assertThat(bench().look("m", "a").attempts()).hasSize(1);
    assertThat(bench().look("m", "a").attempts().get(0))
        .contains(line.substring(1, line.length() - 1));
  }
}
