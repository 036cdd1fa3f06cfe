package dev.weir.store;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.domain.message.DeliveryId;
import dev.weir.domain.message.Envelope;
import dev.weir.domain.message.MessageId;
import dev.weir.domain.outcome.Outcome;
import dev.weir.domain.outcome.RetryPolicy;
import dev.weir.domain.outcome.StatusPolicy;
import dev.weir.domain.quota.Quota;
import dev.weir.domain.quota.Rate;
import dev.weir.domain.subscriber.Subscriber;
import dev.weir.domain.subscriber.Subscriber.OnAmbiguous;
import dev.weir.protocol.store.ClaimId;
import dev.weir.protocol.store.ConfigStore.PutSubscriber;
import dev.weir.protocol.store.DeliveryStore.ClaimReply;
import dev.weir.protocol.store.DeliveryStore.ClaimRequest;
import dev.weir.protocol.store.DeliveryStore.Claimed;
import dev.weir.protocol.store.DeliveryStore.Settled;
import dev.weir.protocol.store.DeliveryStore.Settlement;
import dev.weir.protocol.store.InspectionStore.Balance;
import dev.weir.protocol.store.InspectionStore.State;
import dev.weir.protocol.store.PublishStore.Publication;
import dev.weir.protocol.store.PublishStore.Published;
import dev.weir.testkit.redis.RedisProcess;
import io.vertx.core.buffer.Buffer;
import java.net.URI;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Parts of the store are lost or spoilt behind Weir's back; nothing may stay stuck for it. */
@Timeout(60)
class SpoiltStoreIT {

  private static final RedisProcess redis = RedisProcess.start("appendonly no");

  private final RedisBench bench = RedisBench.onEmpty(redis);
  private long epoch;
  private long nonce;

  @AfterAll
  static void stopRedis() {
    redis.close();
  }

  @BeforeEach
  void open() {
    epoch = bench.call(() -> bench.store().deliveries().beginEpoch());
    add("s");
  }

  @AfterEach
  void close() {
    bench.close();
  }

  // An in-flight delivery whose lease entry or claim record is lost.

  @ParameterizedTest
  @ValueSource(strings = {"delivered", "retry", "dead"})
  void theOutcomeOfADeliveryWithoutItsLeaseEntryStillCounts(String kind) {
    publish("m", "s");
    Claimed claimed = claimOne("s");
    redis.call("ZREM", key("f:s"), String.valueOf(claimed.sequence()));

    assertThat(settle(claimed, outcome(kind))).isEqualTo(Settled.APPLIED);
    assertThat(settle(claimed, outcome(kind))).isEqualTo(Settled.ALREADY);

    assertThat(state("m", "s")).isEqualTo(after(kind));
    assertThat(balance().problems()).isEmpty();
  }

  @Test
  void aDeliveryWithoutItsLeaseEntryThatNobodySettlesIsPutBackByTheRecount() {
    publish("m", "s");
    Claimed claimed = claimOne("s");
    redis.call("ZREM", key("f:s"), String.valueOf(claimed.sequence()));

    assertThat(balance().problems())
        .anySatisfy(problem -> assertThat(problem).contains("m", "nowhere", "ready again"));

    assertThat(balance().problems()).isEmpty();
    Claimed again = claimOne("s");
    assertThat(again.attempt()).isEqualTo(2);
    assertThat(settle(claimed, new Outcome.Delivered())).isEqualTo(Settled.APPLIED);
    assertThat(balance().holds()).isTrue();
  }

  @Test
  void aDeliveryThatLostItsClaimRecordComesBackWhenItsLeaseEnds() {
    add(impatient("hasty"));
    publish("m", "hasty");
    Claimed claimed = claimOne("hasty");
    redis.call("HDEL", key("d:hasty"), String.valueOf(claimed.sequence()));
    assertThat(settle(claimed, outcome("retry"))).isEqualTo(Settled.SUPERSEDED);

    bench.advance(Subscriber.MIN_TIMEOUT.plus(bench.leaseMargin()).plusMillis(50));

    assertThat(settle(claimOne("hasty"), new Outcome.Delivered())).isEqualTo(Settled.APPLIED);
    assertThat(balance().holds()).isTrue();
  }

  // An entry that can't be read, at the head of the line.

  @ParameterizedTest
  @ValueSource(strings = {"", "not a message", "1 -1 1 -1 m 999999\n{}", "1 -1 1 -1 m 3\n{x}b"})
  void anEntryThatCanNotBeReadIsADeadLetterAndThoseBehindItMove(String stored) {
    publish("bad", "s");
    publish("good", "s");
    publish("other", "s");
    Set<String> bodies = keys("b:*");
    String head = bodies.stream().min((a, b) -> sequence(a) - sequence(b)).orElseThrow();
    redis.call("SET", head, stored);

    Claimed first = nextClaimed("s");
    assertThat(first.id().message().id()).isEqualTo("good");
    settle(first, new Outcome.Delivered());
    settle(nextClaimed("s"), new Outcome.Delivered());

    assertThat(redis.call("ZCARD", key("x:s"))).isEqualTo(1L);
    assertThat(redis.call("ZCARD", key("f:s"))).isEqualTo(0L);
    assertThat(redis.call("GET", head)).isEqualTo(stored);
    assertThat(bench.call(() -> bench.store().inspection().deadLetters("s", null, 10)).items())
        .singleElement()
        .satisfies(letter -> assertThat(letter.reason()).startsWith("body lost"));
  }

  // Redis comes back empty.

  @Test
  void anEmptiedRedisTakesWorkAgainFromThoseThatAreConnected() {
    publish("m", "s");
    redis.call("FLUSHALL");
    redis.call("SCRIPT", "FLUSH");

    assertThat(bench.call(() -> bench.store().publishes().publish(publication("m", "s"))))
        .isInstanceOf(Published.UnknownSubscribers.class);
    add("s");
    publish("m2", "s");
    settle(claimOne("s"), new Outcome.Delivered());

    assertThat(state("m2", "s")).isEqualTo(State.DONE);
    assertThat(balance().holds()).isTrue();
  }

  // What is deleted leaves nothing.

  @Test
  void deletedSubscribersLeaveNoKeysButThoseThatExpire() {
    churn(0, 10);
    Set<String> lasting = lasting();

    churn(10, 110);

    assertThat(lasting().size()).isLessThanOrEqualTo(lasting.size() + 8 * 6);
    assertThat(lasting()).noneMatch(key -> key.contains("churn"));
  }

  private void churn(int from, int to) {
    for (int i = from; i < to; i++) {
      String id = "churn" + i;
      add(id);
      publish("used", id);
      publish("left", id);
      settle(claimOne(id), outcome(i % 2 == 0 ? "delivered" : "dead"));
      assertThat(bench.call(() -> bench.store().config().deleteSubscriber(id))).isTrue();
    }
  }

  private static Set<String> lasting() {
    Set<String> kept = new TreeSet<>(keys("*"));
    kept.removeIf(key -> !Objects.equals(redis.call("PTTL", key), -1L));
    return kept;
  }

  // Words

  private static Outcome outcome(String kind) {
    return switch (kind) {
      case "delivered" -> new Outcome.Delivered();
      case "retry" ->
          new Outcome.Retry(60_000, "503", Outcome.Budget.FAILURE, Outcome.NO_GATE, false, false);
      default -> new Outcome.Dead("status 400", false);
    };
  }

  private static State after(String kind) {
    return switch (kind) {
      case "delivered" -> State.DONE;
      case "retry" -> State.RETRY_SCHEDULED;
      default -> State.DEAD;
    };
  }

  private static Subscriber impatient(String id) {
    Subscriber from = subscriber(id);
    return new Subscriber(
        id,
        from.endpoint(),
        from.method(),
        id,
        from.maxInFlight(),
        Subscriber.MIN_TIMEOUT,
        from.retry(),
        from.statusPolicy(),
        from.onAmbiguous(),
        from.objective(),
        from.headers(),
        from.stampAttempts());
  }

  private static Subscriber subscriber(String id) {
    return new Subscriber(
        id,
        URI.create("http://127.0.0.1:9/hook"),
        "POST",
        id,
        Subscriber.DEFAULT_IN_FLIGHT,
        Subscriber.DEFAULT_TIMEOUT,
        RetryPolicy.DEFAULT,
        StatusPolicy.DEFAULT,
        OnAmbiguous.RETRY,
        Subscriber.DEFAULT_OBJECTIVE,
        Map.of(),
        false);
  }

  private void add(String id) {
    add(subscriber(id));
  }

  private void add(Subscriber subscriber) {
    Quota own = new Quota(subscriber.id(), Rate.UNLIMITED, 2);
    assertThat(bench.call(() -> bench.store().config().putSubscriber(subscriber, own)))
        .isEqualTo(PutSubscriber.CREATED);
  }

  private static Publication publication(String message, String subscriber) {
    return new Publication(
        MessageId.of(message),
        new Envelope(null, "text/plain", Map.of(), null, Envelope.NONE),
        Buffer.buffer("b"),
        List.of(subscriber),
        Envelope.NONE,
        0);
  }

  private void publish(String message, String subscriber) {
    assertThat(
            bench.call(() -> bench.store().publishes().publish(publication(message, subscriber))))
        .isInstanceOf(Published.Accepted.class);
  }

  private List<Claimed> claim(String subscriber) {
    int partition =
        bench.call(() -> bench.store().config().subscriber(subscriber)).orElseThrow().partition();
    ClaimId claim = new ClaimId(epoch, "node_1", ++nonce);
    List<ClaimReply> replies =
        bench.call(
            () ->
                bench
                    .store()
                    .deliveries()
                    .claim(partition, claim, List.of(new ClaimRequest(subscriber, 1)), 1 << 20));
    return replies.get(0).deliveries();
  }

  private Claimed claimOne(String subscriber) {
    List<Claimed> claimed = claim(subscriber);
    assertThat(claimed).hasSize(1);
    return claimed.get(0);
  }

  /** Claims again where the first only cleared what can't be read. */
  private Claimed nextClaimed(String subscriber) {
    List<Claimed> claimed = claim(subscriber);
    return claimed.isEmpty() ? claimOne(subscriber) : claimed.get(0);
  }

  private Settled settle(Claimed claimed, Outcome outcome) {
    int partition =
        bench
            .call(() -> bench.store().config().subscriber(claimed.id().subscriber()))
            .orElseThrow()
            .partition();
    Settlement settlement =
        new Settlement(
            claimed.id(), claimed.sequence(), claimed.claim(), outcome, "{\"a\":1}", false);
    return bench
        .call(() -> bench.store().deliveries().settle(partition, List.of(settlement)))
        .get(0)
        .settled();
  }

  private State state(String message, String subscriber) {
    DeliveryId id = new DeliveryId(MessageId.of(message), subscriber);
    return bench
        .call(() -> bench.store().inspection().delivery(id))
        .orElseThrow()
        .delivery()
        .state();
  }

  private Balance balance() {
    return bench.call(() -> bench.store().inspection().balance());
  }

  private static String key(String end) {
    Set<String> found = keys(end);
    return found.isEmpty() ? "weir:{0}:" + end : found.iterator().next();
  }

  private static Set<String> keys(String end) {
    Set<String> found = new TreeSet<>();
    if (redis.call("KEYS", "weir:{*}:" + end) instanceof List<?> names) {
      names.forEach(name -> found.add(String.valueOf(name)));
    }
    return found;
  }

  private static int sequence(String bodyKey) {
    return Integer.parseInt(bodyKey.substring(bodyKey.lastIndexOf(':') + 1));
  }
}
