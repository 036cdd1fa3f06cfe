package dev.weir.testkit.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.weir.domain.message.MessageId;
import dev.weir.domain.outcome.Outcome;
import dev.weir.domain.outcome.Outcome.Budget;
import dev.weir.domain.quota.Quota;
import dev.weir.protocol.store.ClaimId;
import dev.weir.protocol.store.DeliveryStore.ClaimReply;
import dev.weir.protocol.store.DeliveryStore.ClaimRequest;
import dev.weir.protocol.store.DeliveryStore.Claimed;
import dev.weir.protocol.store.DeliveryStore.Limit;
import dev.weir.protocol.store.DeliveryStore.Settled;
import dev.weir.protocol.store.InspectionStore.State;
import dev.weir.protocol.store.StoreException;
import io.vertx.core.buffer.Buffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Claiming: order, limits, numbers. Gate and quota have chapters of their own. */
interface ClaimContract extends ContractChapter {

  @Test
  default void aClaimGivesWhatWasAskedAndHoldsIt() {
    bench().add("a");
    bench().publishMany("m", 5, "a");
    ClaimId claim = bench().newClaim();
    ClaimReply reply = bench().claim(claim, "a", 3);
    assertThat(reply.subscriber()).isEqualTo("a");
    assertThat(reply.limit()).isEqualTo(Limit.NONE);
    assertThat(reply.configVersion()).isEqualTo(bench().view("a").version());
    assertThat(reply.deliveries()).hasSize(3).allMatch(one -> one.claim().equals(claim));
    assertThat(bench().counts("a").inFlight()).isEqualTo(3);
    assertThat(bench().counts("a").ready()).isEqualTo(2);
    assertThat(bench().state(reply.deliveries().get(0).id().message().id(), "a"))
        .isEqualTo(State.ATTEMPTING);
    assertThat(bench().claim("a", 9).deliveries())
        .hasSize(2)
        .doesNotContainAnyElementsOf(reply.deliveries());
  }

  @Test
  default void anEmptyLineSaysThatOnlyAWakeUpHelps() {
    bench().add("a");
    assertThat(bench().claim("a", 1))
        .isEqualTo(new ClaimReply("a", List.of(), Limit.EMPTY, -1, bench().view("a").version()));
  }

  @Test
  default void aLineOfDelayedOnesSaysWhenTheNextIsDue() {
    bench().add("a");
    bench().publishDelayed("m", StoreBench.HOUR_MS, "a");
    bench().publishDelayed("sooner", StoreBench.HOUR_MS / 2, "a");
    ClaimReply reply = bench().claim("a", 1);
    assertThat(reply.limit()).isEqualTo(Limit.EMPTY);
    assertThat(reply.nextInMs()).isBetween(StoreBench.HOUR_MS / 2 - 60_000, StoreBench.HOUR_MS / 2);
  }

  @Test
  default void aClaimForMoreThanThereIsSaysEmpty() {
    bench().add("a");
    bench().publish("m", "a");
    ClaimReply reply = bench().claim("a", 2);
    assertThat(reply.deliveries()).hasSize(1);
    assertThat(reply.limit()).isEqualTo(Limit.EMPTY);
  }

  @Test
  default void aPausedSubscriberGetsNothing() {
    bench().add("a");
    bench().publish("m", "a");
    bench().call(() -> bench().store().config().pause("a", "holiday"));
    ClaimReply reply = bench().claim("a", 1);
    assertThat(reply.deliveries()).isEmpty();
    assertThat(reply.limit()).isEqualTo(Limit.PAUSED);
    assertThat(reply.nextInMs()).isEqualTo(-1);
    bench().call(() -> bench().store().config().resume("a"));
    assertThat(bench().claim("a", 1).deliveries()).hasSize(1);
  }

  @Test
  default void whoIsUnknownIsAnsweredSo() {
    bench().add("a");
    bench().publish("m", "a");
    ClaimReply nobody =
        bench().claim(0, bench().newClaim(), StoreBench.MIB, new ClaimRequest("nobody", 1)).get(0);
    assertThat(nobody.limit()).isEqualTo(Limit.UNKNOWN);
    assertThat(nobody.deliveries()).isEmpty();
    int elsewhere = (bench().partition("a") + 1) % bench().store().deliveries().partitions();
    assertThat(
            bench()
                .claim(elsewhere, bench().newClaim(), StoreBench.MIB, new ClaimRequest("a", 1))
                .get(0)
                .limit())
        .isEqualTo(Limit.UNKNOWN);
    assertThat(bench().counts("a").ready()).isEqualTo(1);
  }

  @Test
  default void theInFlightCapHoldsOverAllClaims() {
    bench().add(StoreBench.withCap(StoreBench.subscriber("a"), 3), unlimited("a"));
    bench().publishMany("m", 6, "a");
    assertThat(bench().claim("a", 2).limit()).isEqualTo(Limit.NONE);
    ClaimReply second = bench().claim("a", 5);
    assertThat(second.deliveries()).hasSize(1);
    assertThat(second.limit()).isEqualTo(Limit.IN_FLIGHT);
    assertThat(second.nextInMs()).isPositive();
    ClaimReply third = bench().claim("a", 1);
    assertThat(third.deliveries()).isEmpty();
    assertThat(third.limit()).isEqualTo(Limit.IN_FLIGHT);
    bench().applies(second.deliveries().get(0), StoreBench.delivered());
    assertThat(bench().claim("a", 5).deliveries()).hasSize(1);
  }

  private static Quota unlimited(String id) {
    return StoreBench.quota(id, "unlimited", 2);
  }

  @Test
  default void oneClaimServesSeveralSubscribersInTheOrderAsked() {
    bench().addSharing("account", "unlimited", 2, "a", "b", "c");
    bench().publishMany("m", 2, "a", "b", "c");
    List<ClaimReply> replies =
        bench()
            .claim(
                bench().partition("a"),
                bench().newClaim(),
                StoreBench.MIB,
                new ClaimRequest("c", 1),
                new ClaimRequest("nobody", 1),
                new ClaimRequest("a", 5),
                new ClaimRequest("b", 2));
    assertThat(replies).extracting(ClaimReply::subscriber).containsExactly("c", "nobody", "a", "b");
    assertThat(replies).extracting(reply -> reply.deliveries().size()).containsExactly(1, 0, 2, 2);
    assertThat(replies)
        .extracting(ClaimReply::limit)
        .containsExactly(Limit.NONE, Limit.UNKNOWN, Limit.EMPTY, Limit.NONE);
  }

  @Test
  default void aReplyThatIsLargeEnoughStopsWithAtLeastOne() {
    bench().addSharing("account", "unlimited", 2, "a", "b");
    for (int i = 0; i < 4; i++) {
      bench().publishBody(MessageId.of("m" + i), Buffer.buffer(new byte[1_000]), "a", "b");
    }
    List<ClaimReply> replies =
        bench()
            .claim(
                bench().partition("a"),
                bench().newClaim(),
                1_500,
                new ClaimRequest("a", 4),
                new ClaimRequest("b", 4));
    assertThat(replies.get(0).deliveries().size()).isBetween(1, 2);
    assertThat(replies.get(0).limit()).isEqualTo(Limit.BYTES);
    assertThat(replies.get(1).deliveries()).isEmpty();
    assertThat(replies.get(1).limit()).isEqualTo(Limit.BYTES);
    ClaimReply tiny =
        bench()
            .claim(bench().partition("b"), bench().newClaim(), 1, new ClaimRequest("b", 4))
            .get(0);
    assertThat(tiny.deliveries()).hasSize(1);
    List<Claimed> rest = new ArrayList<>(bench().claim("a", 9).deliveries());
    rest.addAll(bench().claim("b", 9).deliveries());
    assertThat(rest).hasSize(8 - 1 - replies.get(0).deliveries().size());
  }

  @Test
  default void theEarliestDeadlineGoesFirst() {
    bench().add("a");
    long nowMs = bench().nowMs();
    bench().publish("whenever", "a");
    bench().publishDueBy("in 30 min", nowMs + 1_800_000, "a");
    bench().publishDueBy("in 10 min", nowMs + 600_000, "a");
    bench().publishDueBy("overdue", nowMs - 1_000, "a");
    assertThat(StoreBench.ids(bench().claim("a", 9).deliveries()))
        .containsExactly("overdue", "in 10 min", "in 30 min", "whenever");
  }

  @Test
  default void aFarDeadlineDoesNotMakeAnOlderOneWait() {
    bench().add("a");
    bench().publishDueBy("older, in 3 h", bench().nowMs() + 3 * StoreBench.HOUR_MS, "a");
    bench().advanceMs(5);
    bench().publish("younger", "a");
    assertThat(StoreBench.ids(bench().claim("a", 9).deliveries()))
        .containsExactly("older, in 3 h", "younger");
  }

  @Test
  default void afterAnHourInLineAgeBeatsAnyLaterDeadline() {
    bench().needsSettableClock();
    bench().add("a");
    bench().publish("old", "a");
    bench().advance(Duration.ofMinutes(30));
    bench().publishDueBy("urgent in 40 min", bench().nowMs() + 2_400_000, "a");
    bench().publishDueBy("urgent in 20 min", bench().nowMs() + 1_200_000, "a");
    assertThat(StoreBench.ids(bench().claim("a", 9).deliveries()))
        .containsExactly("urgent in 20 min", "old", "urgent in 40 min");
  }

  @Test
  default void withoutDeadlinesTheOldestGoesFirst() {
    bench().add("a");
    for (int i = 0; i < 12; i++) {
      bench().publish("m" + i, "a");
      bench().advanceMs(2);
    }
    assertThat(StoreBench.ids(bench().claim("a", 12).deliveries()))
        .containsExactly("m0", "m1", "m2", "m3", "m4", "m5", "m6", "m7", "m8", "m9", "m10", "m11");
  }

  @Test
  default void attemptsAreNumberedAndBudgetsCountedApart() {
    bench().add("a");
    bench().publish("m", "a");
    expectNumbers(1, 0, 0, StoreBench.retry(0));
    expectNumbers(2, 1, 0, StoreBench.retry(0, Budget.RATE_LIMIT, Outcome.Retry.NO_GATE));
    expectNumbers(3, 1, 1, StoreBench.retry(0, Budget.RATE_LIMIT, Outcome.Retry.NO_GATE));
    expectNumbers(4, 1, 2, StoreBench.retry(0, Budget.NONE, Outcome.Retry.NO_GATE));
    expectNumbers(5, 1, 2, StoreBench.retry(0));
    expectNumbers(6, 2, 0, StoreBench.delivered());
    assertThat(bench().look("m", "a").delivery().attempts()).isEqualTo(6);
  }

  private void expectNumbers(int attempt, int failures, int rateLimits, Outcome then) {
    Claimed claimed = bench().attempt("a", then);
    assertThat(claimed.attempt()).isEqualTo(attempt);
    assertThat(claimed.failures()).isEqualTo(failures);
    assertThat(claimed.rateLimits()).isEqualTo(rateLimits);
  }

  @Test
  default void theFirstClaimIsRememberedAndEachIsTimed() {
    bench().add("a");
    bench().publish("m", "a");
    Claimed first = bench().attempt("a", StoreBench.retry(0));
    bench().advanceMs(10);
    Claimed second = bench().claimOne("a");
    assertThat(first.firstClaimedAtMs()).isEqualTo(first.claimedAtMs());
    assertThat(first.eligibleAtMs()).isLessThanOrEqualTo(first.claimedAtMs());
    assertThat(second.firstClaimedAtMs()).isEqualTo(first.claimedAtMs());
    assertThat(second.claimedAtMs()).isGreaterThan(first.claimedAtMs());
    assertThat(second.eligibleAtMs()).isBetween(first.claimedAtMs(), second.claimedAtMs());
    assertThat(second.sequence()).isEqualTo(first.sequence());
  }

  @Test
  default void anOlderEpochClaimsNothingAndTheNewOneDoes() {
    bench().add("a");
    bench().publish("m", "a");
    ClaimId old = bench().newClaim();
    long epoch = bench().beginEpoch();
    assertThat(epoch).isGreaterThan(old.epoch());
    assertThatExceptionOfType(StoreException.class)
        .isThrownBy(() -> bench().claim(old, "a", 1))
        .satisfies(e -> assertThat(e.kind()).isEqualTo(StoreException.Kind.FENCED));
    assertThat(bench().claim("a", 1).deliveries()).hasSize(1);
  }

  @Test
  default void theOutcomeOfAnOlderEpochsClaimStillCounts() {
    bench().add("a");
    bench().publish("m", "a");
    Claimed claimed = bench().claimOne("a");
    bench().beginEpoch();
    assertThat(bench().settle(claimed, StoreBench.delivered()).settled())
        .isEqualTo(Settled.APPLIED);
  }

  @Test
  default void aClaimRepeatedAfterALostReplyGivesTheSameAndNothingMore() {
    bench().add("a");
    bench().publishMany("m", 4, "a");
    ClaimId claim = bench().newClaim();
    ClaimReply lost = bench().claim(claim, "a", 2);
    ClaimReply again = bench().claim(claim, "a", 2);
    assertThat(again.deliveries()).containsExactlyInAnyOrderElementsOf(lost.deliveries());
    assertThat(bench().counts("a").inFlight()).isEqualTo(2);
  }
}
