package dev.weir.testkit.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import dev.weir.domain.message.DeliveryId;
import dev.weir.domain.message.MessageId;
import dev.weir.domain.outcome.Outcome.Budget;
import dev.weir.protocol.store.ConfigStore.Page;
import dev.weir.protocol.store.DeliveryStore.Claimed;
import dev.weir.protocol.store.InspectionStore.Balance;
import dev.weir.protocol.store.InspectionStore.Change;
import dev.weir.protocol.store.InspectionStore.DeliveryState;
import dev.weir.protocol.store.InspectionStore.DeliveryView;
import dev.weir.protocol.store.InspectionStore.State;
import dev.weir.protocol.store.InspectionStore.Stopped;
import dev.weir.protocol.store.InspectionStore.Totals;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** What a person sees and may do. */
interface InspectionContract extends ContractChapter {

  @Test
  default void aMessageShowsItsDeliveriesInEveryState() {
    bench().add("a", "b", "c", "d", "e", "f");
    bench().publish("m", "a", "b", "c", "d", "e", "f");
    bench().attempt("a", StoreBench.delivered());
    bench().attempt("b", StoreBench.dead("404"));
    bench().attempt("c", StoreBench.retry(StoreBench.HOUR_MS));
    bench().attempt("d", StoreBench.reconcile("held", -1));
    bench().claimOne("e");
    List<DeliveryState> states = message("m");
    assertThat(states)
        .extracting(state -> state.id().subscriber())
        .containsExactly("a", "b", "c", "d", "e", "f");
    assertThat(states)
        .extracting(DeliveryState::state)
        .containsExactly(
            State.DONE,
            State.DEAD,
            State.RETRY_SCHEDULED,
            State.RECONCILING,
            State.ATTEMPTING,
            State.READY);
    assertThat(states).extracting(DeliveryState::attempts).containsExactly(1, 1, 1, 1, 1, 0);
    assertThat(message("never published")).isEmpty();
  }

  private List<DeliveryState> message(String id) {
    return bench().call(() -> bench().store().inspection().message(MessageId.of(id)));
  }

  @Test
  default void aDeliveryOfNothingIsNotFound() {
    bench().add("a");
    bench().publish("m", "a");
    assertThat(bench().look(StoreBench.delivery("other", "a"))).isEmpty();
    assertThat(bench().look(StoreBench.delivery("m", "nobody"))).isEmpty();
    assertThat(bench().look(new DeliveryId(MessageId.of("m", 1), "a"))).isEmpty();
  }

  @Test
  default void aWaitingDeliveryShowsWhatItCarriesAndWhenItIsNext() {
    bench().add("a");
    long beforeMs = bench().nowMs();
    bench().publishDelayed("m", StoreBench.HOUR_MS, "a");
    DeliveryView view = bench().look("m", "a");
    assertThat(view.delivery().id()).isEqualTo(StoreBench.delivery("m", "a"));
    assertThat(view.delivery().state()).isEqualTo(State.SCHEDULED);
    assertThat(view.nextAtMs())
        .isBetween(beforeMs + StoreBench.HOUR_MS, bench().nowMs() + StoreBench.HOUR_MS);
    assertThat(view.envelope()).isEqualTo(StoreBench.envelope());
    assertThat(view.attempts()).isEmpty();
    assertThat(view.omitted()).isZero();
    assertThat(view.redrives()).isZero();
  }

  @Test
  default void deadLettersAreListedInPagesOldestFirst() {
    bench().add("a", "b");
    bench().publishMany("m", 7, "a", "b");
    for (int i = 0; i < 7; i++) {
      bench().attempt("a", StoreBench.dead("reason " + i));
      bench().advanceMs(2);
    }
    bench().attempt("b", StoreBench.dead("b's"));
    List<Stopped> ofA = deadLetters("a", 3);
    assertThat(ofA).allMatch(stopped -> stopped.id().subscriber().equals("a"));
    assertThat(ofA)
        .extracting(Stopped::reason)
        .containsExactly(
            "reason 0", "reason 1", "reason 2", "reason 3", "reason 4", "reason 5", "reason 6");
    assertThat(ofA).allMatch(stopped -> stopped.attempts() == 1 && stopped.askedDelayMs() == -1);
    assertThat(deadLetters(null, 3)).hasSize(8).doesNotHaveDuplicates().containsAll(ofA);
    assertThat(deadLetters(null, 100)).hasSize(8);
    assertThat(deadLetters("nobody", 3)).isEmpty();
  }

  private List<Stopped> deadLetters(@Nullable String subscriber, int limit) {
    return StoreBench.all(
        limit,
        after ->
            bench().call(() -> bench().store().inspection().deadLetters(subscriber, after, limit)));
  }

  @Test
  default void reconcilingOnesAreListedInPagesWithWhatWasAsked() {
    bench().add("a", "b", "c");
    bench().publishMany("m", 3, "a", "b", "c");
    for (String id : List.of("a", "b", "c")) {
      bench().attempt(id, StoreBench.reconcile("beyond seven days", 700_000_000));
      bench().attempt(id, StoreBench.reconcile("held", -1));
    }
    List<Stopped> all =
        StoreBench.all(
            4,
            after ->
                bench().call(() -> bench().store().inspection().reconciliation(null, after, 4)));
    assertThat(all).hasSize(6).doesNotHaveDuplicates();
    assertThat(all).filteredOn(stopped -> stopped.askedDelayMs() == 700_000_000).hasSize(3);
    assertThat(deadLetters(null, 4)).isEmpty();
  }

  @Test
  default void pagingGoesOnWhereItWasWhileDeadLettersAreRedriven() {
    bench().add("a");
    bench().publishMany("m", 4, "a");
    for (int i = 0; i < 4; i++) {
      bench().attempt("a", StoreBench.dead("404"));
      bench().advanceMs(2);
    }
    Page<Stopped> first =
        bench().call(() -> bench().store().inspection().deadLetters("a", null, 2));
    first.items().forEach(stopped -> redrive(stopped.id()));
    Page<Stopped> second =
        bench().call(() -> bench().store().inspection().deadLetters("a", first.next(), 2));
    assertThat(second.items()).hasSize(2).doesNotContainAnyElementsOf(first.items());
    assertThat(deadLetters("a", 9)).containsExactlyElementsOf(second.items());
  }

  private Change redrive(DeliveryId id) {
    return bench().call(() -> bench().store().inspection().redrive(id));
  }

  private Change cancel(DeliveryId id) {
    return bench().call(() -> bench().store().inspection().cancel(id));
  }

  @Test
  default void aRedrivenDeadLetterStartsAfreshWithTheSameIdAndBody() {
    bench().add("a");
    bench().publish("m", "a");
    bench().attempt("a", StoreBench.retry(0));
    bench().attempt("a", StoreBench.retry(0, Budget.RATE_LIMIT, -1));
    Claimed last = bench().attempt("a", StoreBench.dead("too many failures"));
    bench().advanceMs(5);
    assertThat(redrive(last.id())).isEqualTo(Change.CHANGED);
    assertThat(redrive(last.id())).isEqualTo(Change.WRONG_STATE);
    assertThat(bench().state("m", "a")).isEqualTo(State.READY);
    assertThat(deadLetters("a", 9)).isEmpty();
    Claimed again = bench().claimOne("a");
    assertThat(again.id()).isEqualTo(last.id());
    assertThat(again.body()).isEqualTo(last.body());
    assertThat(again.envelope()).isEqualTo(last.envelope());
    assertThat(again.failures()).isZero();
    assertThat(again.rateLimits()).isZero();
    assertThat(again.redrives()).isEqualTo(1);
    assertThat(again.attempt()).isEqualTo(4);
    assertThat(again.firstClaimedAtMs()).isEqualTo(again.claimedAtMs());
    bench().applies(again, StoreBench.dead("again"));
    assertThat(deadLetters("a", 9)).hasSize(1).allMatch(stopped -> stopped.redrives() == 1);
  }

  @Test
  default void aReconcilingOneCanBeRedrivenAndRescheduled() {
    bench().add("a");
    bench().publishMany("m", 2, "a");
    Claimed first = bench().attempt("a", StoreBench.reconcile("held", -1));
    Claimed second = bench().attempt("a", StoreBench.reconcile("held", -1));
    assertThat(redrive(first.id())).isEqualTo(Change.CHANGED);
    long atMs = bench().nowMs() + StoreBench.HOUR_MS;
    assertThat(bench().call(() -> bench().store().inspection().reschedule(second.id(), atMs)))
        .isEqualTo(Change.CHANGED);
    DeliveryView rescheduled =
        bench().look(second.id()).orElseThrow(() -> new AssertionError("gone"));
    assertThat(rescheduled.delivery().state()).isEqualTo(State.RETRY_SCHEDULED);
    assertThat(rescheduled.nextAtMs()).isEqualTo(atMs);
    assertThat(bench().claim("a", 9).deliveries())
        .extracting(Claimed::id)
        .containsExactly(first.id());
    assertThat(bench().counts("a").reconciling()).isZero();
  }

  @Test
  default void onlyAReconcilingOneCanBeRescheduled() {
    bench().add("a");
    bench().publish("m", "a");
    DeliveryId id = StoreBench.delivery("m", "a");
    assertThat(bench().call(() -> bench().store().inspection().reschedule(id, bench().nowMs())))
        .isEqualTo(Change.WRONG_STATE);
    bench().attempt("a", StoreBench.dead("404"));
    assertThat(bench().call(() -> bench().store().inspection().reschedule(id, bench().nowMs())))
        .isEqualTo(Change.WRONG_STATE);
  }

  @Test
  default void whatIsAtWorkOrWaitingCanNotBeRedriven() {
    bench().add("a");
    bench().publish("m", "a");
    DeliveryId id = StoreBench.delivery("m", "a");
    assertThat(redrive(id)).isEqualTo(Change.WRONG_STATE);
    bench().claimOne("a");
    assertThat(redrive(id)).isEqualTo(Change.WRONG_STATE);
    assertThat(cancel(id)).isEqualTo(Change.WRONG_STATE);
    assertThat(redrive(StoreBench.delivery("other", "a"))).isEqualTo(Change.UNKNOWN);
    assertThat(cancel(StoreBench.delivery("m", "nobody"))).isEqualTo(Change.UNKNOWN);
    assertThat(bench().state("m", "a")).isEqualTo(State.ATTEMPTING);
  }

  @Test
  default void whatWaitsCanBeCancelledForGood() {
    bench().add("a");
    bench().publish("ready", "a");
    bench().attempt("a", StoreBench.dead("404"));
    DeliveryId dead = StoreBench.delivery("ready", "a");
    bench().publish("held", "a");
    bench().attempt("a", StoreBench.reconcile("held", -1));
    bench().publishDelayed("later", StoreBench.HOUR_MS, "a");
    bench().publish("now", "a");
    for (DeliveryId id :
        List.of(
            dead,
            StoreBench.delivery("held", "a"),
            StoreBench.delivery("later", "a"),
            StoreBench.delivery("now", "a"))) {
      assertThat(cancel(id)).isEqualTo(Change.CHANGED);
      assertThat(bench().look(id))
          .hasValueSatisfying(
              view -> assertThat(view.delivery().state()).isEqualTo(State.CANCELLED));
      assertThat(redrive(id)).isEqualTo(Change.WRONG_STATE);
      cancel(id);
    }
    assertThat(bench().counts("a").cancelled()).isEqualTo(4);
    assertThat(bench().counts("a").pending()).isZero();
    assertThat(bench().claim("a", 9).deliveries()).isEmpty();
    bench().publish("now", "a");
    assertThat(bench().claim("a", 9).deliveries()).isEmpty();
    assertThat(bench().balance().bodies()).isZero();
  }

  @Test
  default void oldDeadLettersArePurgedInBoundedSteps() {
    bench().add("a");
    bench().publishMany("m", 5, "a");
    for (int i = 0; i < 4; i++) {
      bench().attempt("a", StoreBench.dead("404"));
    }
    int partition = bench().partition("a");
    long ageMs = 500;
    bench().advanceMs(ageMs + 1);
    long youngSinceNanos = System.nanoTime();
    bench().attempt("a", StoreBench.dead("404"));
    assertThat(purge(partition, StoreBench.HOUR_MS, 9)).isZero();
    assertThat(purge(partition, ageMs, 3)).isEqualTo(3);
    int rest = purge(partition, ageMs, 3);
    assumeThat(Duration.ofNanos(System.nanoTime() - youngSinceNanos))
        .as("the youngest is still young")
        .isLessThan(Duration.ofMillis(ageMs));
    assertThat(rest).isEqualTo(1);
    assertThat(bench().counts("a").dead()).isEqualTo(1);
    assertThat(bench().counts("a").purged()).isEqualTo(4);
    assertThat(bench().balance().purged()).isEqualTo(4);
  }

  private int purge(int partition, long olderThanMs, int limit) {
    return bench()
        .call(() -> bench().store().deliveries().purgeDeadLetters(partition, olderThanMs, limit));
  }

  @Test
  default void theLedgerForgetsAfterEightDays() {
    bench().needsSettableClock();
    bench().add("a");
    bench().publish("m", "a");
    bench().attempt("a", StoreBench.delivered());
    bench().advance(Duration.ofDays(8).minusSeconds(1));
    assertThat(bench().state("m", "a")).isEqualTo(State.DONE);
    bench().advance(Duration.ofSeconds(2));
    assertThat(bench().look(StoreBench.delivery("m", "a"))).isEmpty();
  }

  @Test
  default void totalsAndBalanceAgreeWithWhatHappened() {
    bench().add("a", "b");
    bench().publishMany("m", 8, "a", "b");
    bench().attempt("a", StoreBench.delivered());
    bench().attempt("a", StoreBench.delivered());
    bench().attempt("a", StoreBench.dead("404"));
    bench().attempt("b", StoreBench.reconcile("held", -1));
    bench().attempt("b", StoreBench.retry(StoreBench.HOUR_MS));
    bench().claimOne("b");
    Claimed cancelled = bench().claimOne("a");
    bench().release(List.of(cancelled));
    assertThat(cancel(cancelled.id())).isEqualTo(Change.CHANGED);
    Balance balance = bench().balance();
    assertThat(balance.accepted()).isEqualTo(16);
    assertThat(balance.delivered()).isEqualTo(2);
    assertThat(balance.dead()).isEqualTo(1);
    assertThat(balance.reconciling()).isEqualTo(1);
    assertThat(balance.cancelled()).isEqualTo(1);
    assertThat(balance.pending()).isEqualTo(11);
    Totals totals = bench().call(() -> bench().store().inspection().totals());
    assertThat(totals.accepted()).isEqualTo(16);
    assertThat(totals.delivered()).isEqualTo(2);
    assertThat(totals.cancelled()).isEqualTo(1);
    assertThat(totals.purged()).isZero();
    assertThat(totals.ready()).isEqualTo(9);
    assertThat(totals.delayed()).isEqualTo(1);
    assertThat(totals.inFlight()).isEqualTo(1);
    assertThat(totals.dead()).isEqualTo(1);
    assertThat(totals.reconciling()).isEqualTo(1);
    assertThat(totals.subscribers()).isEqualTo(2);
    assertThat(totals.oldestReadyMs()).isGreaterThanOrEqualTo(0);
  }

  @Test
  default void theAgeOfTheOldestReadyOneIsShown() {
    bench().add("a");
    bench().publish("m", "a");
    bench().advanceMs(50);
    assertThat(bench().counts("a").oldestReadyMs()).isGreaterThanOrEqualTo(50);
    bench().claimOne("a");
    assertThat(bench().counts("a").oldestReadyMs()).isEqualTo(-1);
  }

  @Test
  default void theTotalsFollowTheOldestReadyOneFromLineToLine() {
    String[] ids = IntStream.range(0, 40).mapToObj(i -> "s" + i).toArray(String[]::new);
    bench().addSharing("account", "unlimited", 2, ids);
    for (int i = 0; i < 3; i++) {
      bench().publish("m" + i, ids[i]);
      bench().advanceMs(50);
    }
    for (int i = 3; i < ids.length; i++) {
      bench().publish("m" + i, ids[i]);
    }
    for (int i = 0; i < 3; i++) {
      long oldest = bench().call(() -> bench().store().inspection().totals()).oldestReadyMs();
      assertThat(oldest).isBetween(bench().counts(ids[i + 1]).oldestReadyMs() + 40, Long.MAX_VALUE);
      assertThat(oldest).isLessThanOrEqualTo(bench().counts(ids[i]).oldestReadyMs());
      bench().claimOne(ids[i]);
    }
  }

  @Test
  default void aStoreThatAnswersIsReady() {
    assertThat(bench().store().health().ready()).isTrue();
  }
}
