package dev.weir.testkit.store;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.domain.message.MessageId;
import dev.weir.domain.outcome.RetryPolicy;
import dev.weir.domain.outcome.StatusPolicy;
import dev.weir.domain.outcome.StatusPolicy.Treatment;
import dev.weir.domain.quota.Quota;
import dev.weir.domain.subscriber.Subscriber;
import dev.weir.domain.subscriber.Subscriber.OnAmbiguous;
import dev.weir.protocol.store.ConfigStore.DeleteQuota;
import dev.weir.protocol.store.ConfigStore.PutQuota;
import dev.weir.protocol.store.ConfigStore.PutSubscriber;
import dev.weir.protocol.store.ConfigStore.QuotaView;
import dev.weir.protocol.store.ConfigStore.SubscriberSetup;
import dev.weir.protocol.store.ConfigStore.SubscriberView;
import dev.weir.protocol.store.DeliveryStore.Claimed;
import dev.weir.protocol.store.DeliveryStore.Settled;
import dev.weir.protocol.store.InspectionStore.State;
import dev.weir.protocol.store.InspectionStore.Totals;
import dev.weir.protocol.store.PublishStore.Published.UnknownSubscribers;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Subscribers and quotas: what is put is what is read; versions, pages, deletes. */
interface ConfigContract extends ContractChapter {

  @Test
  default void aSubscriberIsReadAsItWasPut() {
    Subscriber full =
        new Subscriber(
            "store 17:é",
            URI.create("https://example.com/hook?a=b%20c"),
            "PATCH",
            "store 17:é",
            7,
            Duration.ofMillis(1_500),
            new RetryPolicy(
                Duration.ofMillis(10), 1.5, Duration.ofMinutes(2), Duration.ofMillis(5), 4),
            new StatusPolicy(Map.of(401, Treatment.PAUSE, 404, Treatment.RETRY)),
            OnAmbiguous.HOLD,
            Duration.ofMinutes(9),
            Map.of("Authorization", "Bearer \"x\"\\y", "X-É", ""),
            true);
    Quota quota = StoreBench.quota(full.id(), "0.5/s", 3);
    assertThat(bench().put(full, quota)).isEqualTo(PutSubscriber.CREATED);
    SubscriberView view = bench().view(full.id());
    assertThat(view.subscriber()).isEqualTo(full);
    assertThat(view.quota()).isEqualTo(quota);
    assertThat(view.state()).isEqualTo(Subscriber.State.ACTIVE);
    assertThat(view.reason()).isNull();
    assertThat(view.partition()).isBetween(0, bench().store().deliveries().partitions() - 1);
    assertThat(view.counts().oldestReadyMs()).isEqualTo(-1);
    assertThat(view.counts().gateInMs()).isZero();
  }

  @Test
  default void aVerticleStartsFromWhatTheViewAndTheLevelSay() {
    bench().addPaced("own", "1/h", 3);
    bench().addPaced("still", "0", 1);
    bench().addSharing("account", "1/h", 2, "sharing");
    bench().call(() -> bench().store().config().pause("own", "checking"));
    for (String id : List.of("own", "still", "sharing")) {
      SubscriberView view = bench().view(id);
      long level = bench().level(view.subscriber().quotaId());
      assertThat(bench().call(() -> bench().store().config().setup(id, 0)))
          .contains(
              new SubscriberSetup(
                  view.subscriber(),
                  view.quota(),
                  view.version(),
                  view.partition(),
                  view.state(),
                  level));
    }
    long sending = 2 * StoreBench.HOUR_MS;
    assertThat(bench().call(() -> bench().store().config().setup("own", sending)))
        .hasValueSatisfying(
            setup -> assertThat(setup.levelMicros()).isEqualTo(3 * StoreBench.TOKEN));
    assertThat(bench().call(() -> bench().store().config().setup("nobody", 0))).isEmpty();
  }

  @Test
  default void whatIsNotThereIsNotFound() {
    assertThat(bench().call(() -> bench().store().config().subscriber("nobody"))).isEmpty();
    assertThat(bench().call(() -> bench().store().config().quota("none"))).isEmpty();
    assertThat(bench().call(() -> bench().store().config().pause("nobody", "x"))).isFalse();
    assertThat(bench().call(() -> bench().store().config().resume("nobody"))).isFalse();
    assertThat(bench().call(() -> bench().store().config().deleteSubscriber("nobody"))).isFalse();
  }

  @Test
  default void replacingKeepsBacklogAndStateAndRaisesTheVersion() {
    bench().add("a");
    bench().publishMany("m", 2, "a");
    bench().call(() -> bench().store().config().pause("a", "holiday"));
    long version = bench().view("a").version();
    Subscriber changed = StoreBench.withCap(StoreBench.subscriber("a"), 5);
    assertThat(bench().put(changed, StoreBench.quota("a", "unlimited", 2)))
        .isEqualTo(PutSubscriber.REPLACED);
    SubscriberView view = bench().view("a");
    assertThat(view.subscriber()).isEqualTo(changed);
    assertThat(view.version()).isGreaterThan(version);
    assertThat(view.state()).isEqualTo(Subscriber.State.PAUSED);
    assertThat(view.counts().ready()).isEqualTo(2);
  }

  @Test
  default void everyChangeOfStateRaisesTheVersion() {
    bench().add("a");
    long created = bench().view("a").version();
    assertThat(bench().call(() -> bench().store().config().pause("a", "holiday"))).isTrue();
    long paused = bench().view("a").version();
    assertThat(paused).isGreaterThan(created);
    assertThat(bench().view("a").reason()).isEqualTo("holiday");
    bench().call(() -> bench().store().config().pause("a", "longer holiday"));
    assertThat(bench().view("a").reason()).isEqualTo("longer holiday");
    assertThat(bench().call(() -> bench().store().config().resume("a"))).isTrue();
    assertThat(bench().view("a").version()).isGreaterThan(paused);
    assertThat(bench().view("a").state()).isEqualTo(Subscriber.State.ACTIVE);
    assertThat(bench().view("a").reason()).isNull();
  }

  @Test
  default void aSharedQuotaMustExistAndCanNotBeChangedFor() {
    Subscriber sharer = StoreBench.sharing(StoreBench.subscriber("a"), "account");
    assertThat(bench().put(sharer, null)).isEqualTo(PutSubscriber.NO_QUOTA);
    bench().addSharing("account", "5/s", 3, "a");
    assertThat(bench().view("a").quota()).isEqualTo(StoreBench.quota("account", "5/s", 3));
    assertThat(bench().put(sharer, null)).isEqualTo(PutSubscriber.REPLACED);
    assertThat(bench().put(StoreBench.subscriber("a"), StoreBench.quota("a", "5/s", 3)))
        .isEqualTo(PutSubscriber.OTHER_QUOTA);
    assertThat(bench().view("a").subscriber()).isEqualTo(sharer);
  }

  @Test
  default void quotasArePutReadAndDeleted() {
    Quota quota = StoreBench.quota("account", "10/min", 4);
    assertThat(put(quota)).isEqualTo(PutQuota.CREATED);
    assertThat(put(quota)).isEqualTo(PutQuota.REPLACED);
    bench().add(StoreBench.sharing(StoreBench.subscriber("b"), "account"), null);
    bench().add(StoreBench.sharing(StoreBench.subscriber("a"), "account"), null);
    assertThat(bench().call(() -> bench().store().config().quota("account")))
        .contains(new QuotaView(quota, 0, List.of("a", "b")));
    assertThat(delete("account")).isEqualTo(DeleteQuota.IN_USE);
    bench().call(() -> bench().store().config().deleteSubscriber("a"));
    bench().call(() -> bench().store().config().deleteSubscriber("b"));
    assertThat(delete("account")).isEqualTo(DeleteQuota.DELETED);
    assertThat(delete("account")).isEqualTo(DeleteQuota.UNKNOWN);
    assertThat(bench().call(() -> bench().store().config().quota("account"))).isEmpty();
  }

  private PutQuota put(Quota quota) {
    return bench().call(() -> bench().store().config().putQuota(quota));
  }

  private DeleteQuota delete(String id) {
    return bench().call(() -> bench().store().config().deleteQuota(id));
  }

  @Test
  default void aSubscribersOwnQuotaIsNotASharedOne() {
    bench().add("a");
    assertThat(put(StoreBench.quota("a", "5/s", 3))).isEqualTo(PutQuota.TAKEN_BY_SUBSCRIBER);
    assertThat(delete("a")).isEqualTo(DeleteQuota.UNKNOWN);
  }

  @Test
  default void subscribersAreListedByIdInPages() {
    List<String> ids = IntStream.range(100, 125).mapToObj(i -> "s" + i).toList();
    bench().add(ids.toArray(String[]::new));
    List<SubscriberView> all =
        StoreBench.all(
            10, after -> bench().call(() -> bench().store().config().subscribers(after, 10)));
    assertThat(all).extracting(view -> view.subscriber().id()).containsExactlyElementsOf(ids);
  }

  @Test
  default void pagesStayStableWhileOthersComeAndGo() {
    bench().add("b", "d", "f", "h");
    var first = bench().call(() -> bench().store().config().subscribers(null, 2));
    assertThat(first.items()).extracting(view -> view.subscriber().id()).containsExactly("b", "d");
    bench().call(() -> bench().store().config().deleteSubscriber("d"));
    bench().add("a", "e");
    var second = bench().call(() -> bench().store().config().subscribers(first.next(), 9));
    assertThat(second.items())
        .extracting(view -> view.subscriber().id())
        .containsExactly("e", "f", "h");
    assertThat(second.next()).isNull();
  }

  @Test
  default void sharedQuotasAreListedInPages() {
    bench().add("own");
    for (int i = 0; i < 7; i++) {
      put(StoreBench.quota("q" + i, "5/s", 3));
    }
    List<QuotaView> all =
        StoreBench.all(3, after -> bench().call(() -> bench().store().config().quotas(after, 3)));
    assertThat(all)
        .extracting(view -> view.quota().id())
        .containsExactly("q0", "q1", "q2", "q3", "q4", "q5", "q6");
  }

  @Test
  default void deletingASubscriberPurgesItsBacklogAndNothingElse() {
    bench().addSharing("account", "unlimited", 2, "a", "b");
    bench().publishMany("m", 150, "a", "b");
    bench().publishDelayed("later", StoreBench.HOUR_MS, "a");
    bench().attempt("a", StoreBench.delivered());
    bench().attempt("a", StoreBench.dead("404"));
    bench().attempt("a", StoreBench.reconcile("held", -1));
    Claimed inFlight = bench().claimOne("a");
    assertThat(bench().call(() -> bench().store().config().deleteSubscriber("a"))).isTrue();
    assertThat(bench().call(() -> bench().store().config().deleteSubscriber("a"))).isFalse();
    assertThat(bench().call(() -> bench().store().config().subscriber("a"))).isEmpty();
    assertThat(bench().publish("new", "a")).isEqualTo(new UnknownSubscribers(List.of("a")));
    assertThat(bench().settle("b", StoreBench.settlement(inFlight, StoreBench.delivered())).get(0))
        .extracting(reply -> reply.settled())
        .isEqualTo(Settled.UNKNOWN);
    assertThat(bench().counts("b").ready()).isEqualTo(150);
    assertThat(bench().balance().bodies()).isEqualTo(150);
    Totals totals = bench().call(() -> bench().store().inspection().totals());
    assertThat(totals.purged()).isEqualTo(150);
    assertThat(totals.accepted()).isEqualTo(301);
    assertThat(totals.delivered()).isEqualTo(1);
    assertThat(totals.subscribers()).isEqualTo(1);
    assertThat(
            bench().call(() -> bench().store().deliveries().sweep(bench().partition("b"), 9)).due())
        .extracting(due -> due.subscriber())
        .containsExactly("b");
    assertThat(bench().call(() -> bench().store().inspection().deadLetters(null, null, 9)).items())
        .isEmpty();
  }

  @Test
  default void aDeletedIdCanBeUsedAgain() {
    bench().addPaced("a", "1/h", 2);
    bench().publish("m", "a");
    bench().call(() -> bench().store().config().deleteSubscriber("a"));
    bench().add("a");
    assertThat(bench().counts("a").accepted()).isZero();
    bench().publish("n", "a");
    assertThat(StoreBench.ids(bench().claim("a", 9).deliveries())).containsExactly("n");
    assertThat(bench().state("n", "a")).isEqualTo(State.ATTEMPTING);
    bench().balance();
  }

  @Test
  default void nothingIsLeftToFinishAfterADelete() {
    bench().add("a");
    bench().publishMany("m", 3, "a");
    int partition = bench().partition("a");
    bench().call(() -> bench().store().config().deleteSubscriber("a"));
    assertThat(bench().call(() -> bench().store().config().finishDeletes(partition))).isZero();
    assertThat(bench().call(() -> bench().store().inspection().message(MessageId.of("m-0"))))
        .isEmpty();
  }
}
