package dev.weir.testkit.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import dev.weir.domain.message.DeliveryId;
import dev.weir.domain.message.Envelope;
import dev.weir.domain.message.MessageId;
import dev.weir.protocol.store.DeliveryStore.Limit;
import dev.weir.protocol.store.InspectionStore.DeliveryState;
import dev.weir.protocol.store.InspectionStore.State;
import dev.weir.protocol.store.PublishStore.Binding;
import dev.weir.protocol.store.PublishStore.OpenIntent;
import dev.weir.protocol.store.PublishStore.Publication;
import dev.weir.protocol.store.PublishStore.Published;
import dev.weir.protocol.store.PublishStore.Published.Accepted;
import dev.weir.protocol.store.PublishStore.Published.Conflict;
import dev.weir.protocol.store.PublishStore.Published.UnknownSubscribers;
import io.vertx.core.buffer.Buffer;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Publishing, and the keys that make its repeats harmless. */
interface PublishContract extends ContractChapter {

  @Test
  default void aNewMessageIsReadyForItsTarget() {
    bench().add("a");
    assertThat(bench().publish("m", "a"))
        .isEqualTo(new Accepted(List.of(StoreBench.delivery("m", "a")), List.of("a")));
    assertThat(bench().state("m", "a")).isEqualTo(State.READY);
    assertThat(bench().counts("a").ready()).isEqualTo(1);
    assertThat(bench().counts("a").accepted()).isEqualTo(1);
    assertThat(bench().balance().bodies()).isEqualTo(1);
  }

  @Test
  default void publishingTwiceMakesOneDelivery() {
    bench().add("a");
    bench().publish("m", "a");
    assertThat(bench().publish("m", "a"))
        .isEqualTo(new Accepted(List.of(StoreBench.delivery("m", "a")), List.of()));
    assertThat(bench().counts("a").accepted()).isEqualTo(1);
    assertThat(bench().claim("a", 10).deliveries()).hasSize(1);
  }

  @Test
  default void anotherBodyUnderTheSameIdIsAConflict() {
    bench().add("a", "b");
    bench().publish("m", "a");
    Published other = bench().publishBody(MessageId.of("m"), Buffer.buffer("another"), "a", "b");
    assertThat(other).isInstanceOf(Conflict.class);
    assertThat(((Conflict) other).subscribers()).contains("a");
    assertThat(bench().look(StoreBench.delivery("m", "b"))).isEmpty();
    assertThat(bench().claimOne("a").body()).isEqualTo(StoreBench.body(MessageId.of("m")));
  }

  @Test
  default void anotherBodyIsAConflictAlsoAfterDelivery() {
    bench().add("a");
    bench().publish("m", "a");
    bench().attempt("a", StoreBench.delivered());
    assertThat(bench().publishBody(MessageId.of("m"), Buffer.buffer("another"), "a"))
        .isEqualTo(new Conflict(List.of("a")));
  }

  @Test
  default void anUnknownTargetRefusesTheWholePublish() {
    bench().add("a");
    assertThat(bench().publish("m", "nobody", "a", "no one"))
        .isEqualTo(new UnknownSubscribers(List.of("nobody", "no one")));
    assertThat(bench().publish("n", "nobody")).isEqualTo(new UnknownSubscribers(List.of("nobody")));
    assertThat(bench().look(StoreBench.delivery("m", "a"))).isEmpty();
    assertThat(bench().counts("a").accepted()).isZero();
    assertThat(bench().balance().bodies()).isZero();
  }

  @Test
  default void twoVersionsAndNoneAreThreeMessages() {
    bench().add("a");
    List<MessageId> versions =
        List.of(MessageId.of("m"), MessageId.of("m", 0), MessageId.of("m", 7));
    for (MessageId version : versions) {
      assertThat(bench().publish(StoreBench.publication(version, "a")))
          .isEqualTo(new Accepted(List.of(new DeliveryId(version, "a")), List.of("a")));
    }
    assertThat(bench().claim("a", 10).deliveries())
        .extracting(claimed -> claimed.id().message())
        .containsExactlyInAnyOrderElementsOf(versions);
  }

  @Test
  default void aPublishToThreeHundredTargetsMakesThreeHundredDeliveries() {
    String[] targets = IntStream.range(0, 300).mapToObj(i -> "s" + i).toArray(String[]::new);
    bench().add(targets);
    bench().publish("m", "s7", "s250");
    Accepted accepted = (Accepted) bench().publish("m", targets);
    assertThat(accepted.accepted()).extracting(DeliveryId::subscriber).containsExactly(targets);
    assertThat(accepted.created())
        .hasSize(298)
        .doesNotContain("s7", "s250")
        .doesNotHaveDuplicates();
    assertThat(((Accepted) bench().publish("m", targets)).created()).isEmpty();
    List<DeliveryState> states =
        bench().call(() -> bench().store().inspection().message(MessageId.of("m")));
    assertThat(states).hasSize(300).allMatch(state -> state.state() == State.READY);
    assertThat(bench().balance().pending()).isEqualTo(300);
  }

  @Test
  default void theSubscribersOfOneQuotaShareOneBody() {
    bench().addSharing("account", "unlimited", 2, "a", "b", "c");
    bench().publish("m", "a", "b", "c");
    assertThat(bench().balance().bodies()).isEqualTo(1);
    bench().attempt("a", StoreBench.delivered());
    bench().attempt("b", StoreBench.dead("410"));
    assertThat(bench().balance().bodies()).isEqualTo(1);
    assertThat(bench().claimOne("c").body()).isEqualTo(StoreBench.body(MessageId.of("m")));
  }

  @Test
  default void aDelayedMessageIsScheduledUntilItIsDue() {
    bench().add("a");
    assertThat(((Accepted) bench().publishDelayed("m", 40, "a")).created()).isEmpty();
    assertThat(((Accepted) bench().publishDelayed("later", StoreBench.HOUR_MS, "a")).created())
        .isEmpty();
    assertThat(bench().state("later", "a")).isEqualTo(State.SCHEDULED);
    assertThat(bench().counts("a").delayed()).isEqualTo(2);
    bench().advanceMs(60);
    assertThat(StoreBench.ids(bench().claim("a", 5).deliveries())).containsExactly("m");
  }

  @Test
  default void nothingIsClaimedBeforeItsDeliverAt() {
    bench().add("a");
    long atMs = bench().nowMs() + 60;
    MessageId id = MessageId.of("m");
    bench()
        .publish(
            new Publication(id, StoreBench.envelope(), StoreBench.body(id), List.of("a"), atMs, 0));
    var early = bench().claim("a", 1);
    if (early.deliveries().isEmpty()) {
      assertThat(early.limit()).isEqualTo(Limit.EMPTY);
      assertThat(early.nextInMs()).isBetween(0L, 60L);
      bench().advanceMs(80);
      assertThat(bench().claimOne("a").eligibleAtMs()).isEqualTo(atMs);
    } else {
      // A slow machine: it may be due by now, but never early.
      assertThat(early.deliveries().get(0).claimedAtMs()).isGreaterThanOrEqualTo(atMs);
    }
  }

  @Test
  default void aDeliverAtInThePastIsDueNow() {
    bench().add("a");
    MessageId id = MessageId.of("m");
    Published published =
        bench()
            .publish(
                new Publication(
                    id, StoreBench.envelope(), StoreBench.body(id), List.of("a"), 1_000, 0));
    assertThat(((Accepted) published).created()).containsExactly("a");
    assertThat(bench().claim("a", 1).deliveries()).hasSize(1);
  }

  @Test
  default void whatWasPublishedIsWhatIsClaimed() {
    bench().add("a");
    Envelope envelope = StoreBench.envelope(bench().nowMs() + 60_000);
    MessageId id = MessageId.of("m", 3);
    Publication publication =
        new Publication(id, envelope, Buffer.buffer("\0bytes\r\n"), List.of("a"), Envelope.NONE, 0);
    bench().publish(publication);
    var claimed = bench().claimOne("a");
    assertThat(claimed.envelope()).isEqualTo(envelope);
    assertThat(claimed.body()).isEqualTo(publication.body());
    assertThat(claimed.id()).isEqualTo(new DeliveryId(id, "a"));
  }

  @Test
  default void anEnvelopeMayBeEmpty() {
    bench().add("a");
    Envelope bare = new Envelope(null, null, Map.of(), null, Envelope.NONE);
    bench()
        .publish(
            new Publication(
                MessageId.of("m"), bare, Buffer.buffer(), List.of("a"), Envelope.NONE, 0));
    assertThat(bench().claimOne("a").envelope()).isEqualTo(bare);
  }

  @Test
  default void aPausedSubscriberStillAccepts() {
    bench().add("a");
    bench().call(() -> bench().store().config().pause("a", "holiday"));
    assertThat(bench().publish("m", "a")).isInstanceOf(Accepted.class);
    assertThat(bench().counts("a").ready()).isEqualTo(1);
  }

  @Test
  default void theFirstRequestOfAKeyBindsItAndRepeatsGetItsMessage() {
    MessageId first = MessageId.of("first", 2);
    assertThat(bind("key", "hash", first)).isEqualTo(new Binding.Bound(first));
    assertThat(bind("key", "hash", MessageId.of("second"))).isEqualTo(new Binding.Bound(first));
    assertThat(bind("other", "hash", MessageId.of("second")))
        .isEqualTo(new Binding.Bound(MessageId.of("second")));
  }

  @Test
  default void anotherRequestUnderAKeyIsRefused() {
    bind("key", "hash", MessageId.of("first"));
    assertThat(bind("key", "other hash", MessageId.of("second")))
        .isEqualTo(new Binding.OtherRequest());
  }

  @Test
  default void anAnsweredKeyGivesItsAnswerAgain() {
    bind("key", "hash", MessageId.of("first"));
    bench().call(() -> bench().store().publishes().answered("key", "hash"));
    bench().call(() -> bench().store().publishes().answered("key", "hash"));
    assertThat(bind("key", "hash", MessageId.of("second")))
        .isEqualTo(new Binding.Answered(MessageId.of("first")));
    assertThat(bind("key", "other hash", MessageId.of("second")))
        .isEqualTo(new Binding.OtherRequest());
  }

  private Binding bind(String key, String hash, MessageId proposed) {
    return bench().call(() -> bench().store().publishes().bind(key, hash, proposed));
  }

  @Test
  default void aFinishedPublishLeavesNoOpenIntent() {
    bench().add("a", "b", "c");
    bench().publish("m", "a", "b", "c");
    for (String target : List.of("a", "b", "c")) {
      assertThat(openIntents(bench().partition(target))).isEmpty();
    }
  }

  @Test
  default void anUnfinishedPublishIsFinishedOnceHoweverOftenItIsResumed() {
    bench().add("a", "b", "c");
    Publication publication = StoreBench.publication(MessageId.of("m"), "a", "b", "c");
    assumeThat(bench().harness().leaveUnfinished(publication)).isTrue();
    List<OpenIntent> open = openIntents(bench().partition("a"));
    assertThat(open).hasSize(1);
    Published resumed = bench().call(() -> bench().store().publishes().resume(open.get(0)));
    assertThat(resumed).isInstanceOf(Accepted.class);
    bench().attempt("a", StoreBench.delivered());
    bench().call(() -> bench().store().publishes().resume(open.get(0)));
    assertThat(openIntents(bench().partition("a"))).isEmpty();
    assertThat(bench().state("m", "a")).isEqualTo(State.DONE);
    for (String target : List.of("b", "c")) {
      assertThat(bench().claim(target, 5).deliveries()).hasSize(1);
    }
    assertThat(bench().balance().accepted()).isEqualTo(3);
  }

  @Test
  default void aRepeatOfAnUnfinishedPublishFinishesIt() {
    bench().add("a", "b");
    Publication publication = StoreBench.publication(MessageId.of("m"), "a", "b");
    assumeThat(bench().harness().leaveUnfinished(publication)).isTrue();
    assertThat(((Accepted) bench().publish(publication)).accepted()).hasSize(2);
    for (OpenIntent left : openIntents(bench().partition("a"))) {
      bench().call(() -> bench().store().publishes().resume(left));
    }
    assertThat(bench().counts("a").accepted()).isEqualTo(1);
    assertThat(bench().counts("b").accepted()).isEqualTo(1);
    assertThat(bench().balance().pending()).isEqualTo(2);
  }

  private List<OpenIntent> openIntents(int partition) {
    return bench().call(() -> bench().store().publishes().openIntents(partition, 0, 10));
  }
}
