package dev.weir.testkit.store;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.domain.message.DeliveryId;
import dev.weir.domain.message.Envelope;
import dev.weir.domain.message.MessageId;
import dev.weir.protocol.store.ConfigStore.SubscriberView;
import dev.weir.protocol.store.DeliveryStore.Claimed;
import dev.weir.protocol.store.InspectionStore.State;
import dev.weir.protocol.store.PublishStore.Binding;
import dev.weir.protocol.store.PublishStore.Publication;
import io.vertx.core.buffer.Buffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Any id names one thing, and bodies are bytes. */
interface NamesAndBytesContract extends ContractChapter {

  /** Each differs from each other in at least one byte, and none may be mistaken for another. */
  List<String> ODD_IDS =
      List.of(
          "a",
          "b",
          "c",
          "a:b",
          "b:c",
          "a::b",
          "a:b:c",
          "a|b",
          "a%3Ab",
          "%61",
          "{x}",
          "{1}",
          "x",
          "*",
          "?",
          "[a-z]",
          "../x",
          "/",
          "\\",
          "a\nb",
          "a\r\nb",
          "a\tb",
          "\0",
          "\uD83D\uDE9A".repeat(30),
          " ",
          " a",
          "a ",
          "\u00e9",
          "e\u0301",
          "0",
          "-1",
          "1:2",
          "null",
          "\"quoted\"",
          "__proto__",
          "x".repeat(DeliveryId.MAX_SUBSCRIBER_BYTES));

  @Test
  default void everySubscriberIdIsAKeyOfItsOwn() {
    bench().add(ODD_IDS.toArray(String[]::new));
    for (String id : ODD_IDS) {
      bench().publishBody(MessageId.of("m"), Buffer.buffer("same"), id);
    }
    for (String id : ODD_IDS) {
      assertThat(bench().view(id).subscriber().id()).isEqualTo(id);
      assertThat(bench().claim(id, 9).deliveries())
          .extracting(Claimed::id)
          .containsExactly(StoreBench.delivery("m", id));
    }
    List<SubscriberView> listed =
        StoreBench.all(
            7, after -> bench().call(() -> bench().store().config().subscribers(after, 7)));
    assertThat(listed)
        .extracting(view -> view.subscriber().id())
        .containsExactlyInAnyOrderElementsOf(ODD_IDS);
    bench().balance();
  }

  @Test
  default void everyMessageIdIsAKeyOfItsOwn() {
    bench().add("a:b");
    List<MessageId> messages = new ArrayList<>();
    ODD_IDS.forEach(id -> messages.add(MessageId.of(id)));
    ODD_IDS.forEach(id -> messages.add(MessageId.of(id, 1)));
    messages.add(MessageId.of("y".repeat(MessageId.MAX_ID_BYTES), Long.MAX_VALUE));
    messages.forEach(message -> bench().publish(StoreBench.publication(message, "a:b")));
    int done = 0;
    while (done < messages.size()) {
      List<Claimed> claimed = bench().claim("a:b", 20).deliveries();
      assertThat(claimed).isNotEmpty();
      for (Claimed one : claimed) {
        assertThat(one.body()).isEqualTo(StoreBench.body(one.id().message()));
        bench().applies(one, done % 2 == 0 ? StoreBench.delivered() : StoreBench.dead("404"));
        done++;
      }
    }
    for (MessageId message : messages) {
      assertThat(bench().look(new DeliveryId(message, "a:b")))
          .hasValueSatisfying(
              view -> assertThat(view.delivery().state()).isIn(State.DONE, State.DEAD));
    }
    assertThat(bench().counts("a:b").delivered()).isEqualTo((messages.size() + 1) / 2);
    bench().balance();
  }

  @Test
  default void pairsThatJoinToTheSameTextAreTwoDeliveries() {
    bench().addSharing("account", "unlimited", 2, "a", "a:b", "b:c", "c", "1");
    List<DeliveryId> pairs =
        List.of(
            new DeliveryId(MessageId.of("b:c"), "a"),
            new DeliveryId(MessageId.of("c"), "a:b"),
            new DeliveryId(MessageId.of("a"), "b:c"),
            new DeliveryId(MessageId.of("a:b"), "c"),
            new DeliveryId(MessageId.of("m:1"), "1"),
            new DeliveryId(MessageId.of("m", 1), "1"),
            new DeliveryId(MessageId.of("m%3A1"), "1"));
    for (DeliveryId pair : pairs) {
      bench().publish(StoreBench.publication(pair.message(), pair.subscriber()));
    }
    assertThat(bench().balance().accepted()).isEqualTo(pairs.size());
    assertThat(bench().call(() -> bench().store().config().deleteSubscriber("a"))).isTrue();
    for (DeliveryId pair : pairs.subList(1, pairs.size())) {
      assertThat(bench().look(pair))
          .as("%s", pair)
          .hasValueSatisfying(view -> assertThat(view.delivery().state()).isEqualTo(State.READY));
    }
    assertThat(bench().claim("1", 9).deliveries()).hasSize(3);
    bench().balance();
  }

  @Test
  default void deletingOneOddIdLeavesItsNeighbours() {
    bench().add(ODD_IDS.toArray(String[]::new));
    ODD_IDS.forEach(id -> bench().publish("m", id));
    for (int i = 0; i < ODD_IDS.size(); i += 2) {
      String id = ODD_IDS.get(i);
      bench().call(() -> bench().store().config().deleteSubscriber(id));
    }
    for (int i = 1; i < ODD_IDS.size(); i += 2) {
      assertThat(bench().counts(ODD_IDS.get(i)).ready()).isEqualTo(1);
    }
    bench().balance();
  }

  @Test
  default void everySharedQuotaIdIsAKeyOfItsOwn() {
    for (int i = 0; i < ODD_IDS.size(); i++) {
      bench().addSharing(ODD_IDS.get(i), "1/h", i + 1, "sub" + i);
    }
    for (int i = 0; i < ODD_IDS.size(); i++) {
      assertThat(bench().level(ODD_IDS.get(i))).isEqualTo((i + 1) * StoreBench.TOKEN);
      bench().publish("m", "sub" + i);
      assertThat(bench().claim("sub" + i, 1).deliveries()).hasSize(1);
    }
  }

  @Test
  default void everyIdempotencyKeyIsAKeyOfItsOwn() {
    for (String key : ODD_IDS) {
      MessageId message = MessageId.of("for " + key);
      assertThat(bench().call(() -> bench().store().publishes().bind(key, "hash " + key, message)))
          .isEqualTo(new Binding.Bound(message));
    }
    for (String key : ODD_IDS) {
      assertThat(
              bench()
                  .call(
                      () ->
                          bench().store().publishes().bind(key, "hash " + key, MessageId.of("x"))))
          .isEqualTo(new Binding.Bound(MessageId.of("for " + key)));
    }
  }

  @Test
  default void bodiesComeBackByteForByteAfterRetryAndRedrive() {
    bench().add("a");
    byte[] largest = new byte[Envelope.MAX_BODY_BYTES];
    new Random(7).nextBytes(largest);
    byte[] every = new byte[256];
    for (int i = 0; i < every.length; i++) {
      every[i] = (byte) i;
    }
    List<Buffer> bodies =
        List.of(
            Buffer.buffer(),
            Buffer.buffer(every),
            Buffer.buffer(largest),
            Buffer.buffer(new byte[] {(byte) 0xC3, 0x28, (byte) 0xFF, 0}),
            Buffer.buffer("\r\n\n{\"n\": 9007199254740993 }  \n"),
            Buffer.buffer("$5\r\nhello\r\n"));
    for (int i = 0; i < bodies.size(); i++) {
      Buffer body = bodies.get(i);
      bench().publishBody(MessageId.of("m" + i), body, "a");
      assertThat(bench().attempt("a", StoreBench.retry(0)).body()).isEqualTo(body);
      Claimed second = bench().attempt("a", StoreBench.dead("404"));
      assertThat(second.body()).isEqualTo(body);
      bench().call(() -> bench().store().inspection().redrive(second.id()));
      assertThat(bench().attempt("a", StoreBench.delivered()).body()).isEqualTo(body);
    }
    assertThat(bench().balance().bodies()).isZero();
  }

  @Test
  default void whatTheCallerDoesToItsBufferLaterChangesNothing() {
    bench().add("a");
    Buffer body = Buffer.buffer("as published");
    bench().publishBody(MessageId.of("m"), body, "a");
    body.setString(0, "AS CHANGED!!");
    assertThat(bench().claimOne("a").body()).isEqualTo(Buffer.buffer("as published"));
  }

  @Test
  default void headersAndPathMayHoldAnyText() {
    bench().add("a");
    Envelope envelope =
        new Envelope(
            "type\nwith \u00e9",
            "text/plain; charset=\"x\"",
            Map.of("X-A", "\u00e9 \"\\ \t", "x-b", ""),
            "/a/../b?c=%7B",
            5);
    bench()
        .publish(
            new Publication(
                MessageId.of("m"), envelope, Buffer.buffer("x"), List.of("a"), Envelope.NONE, 0));
    assertThat(bench().claimOne("a").envelope()).isEqualTo(envelope);
  }
}
