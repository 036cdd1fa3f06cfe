package dev.weir.testkit.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import dev.weir.domain.message.DeliveryId;
import dev.weir.domain.message.Envelope;
import dev.weir.domain.message.MessageId;
import dev.weir.domain.outcome.Outcome;
import dev.weir.domain.outcome.Outcome.Budget;
import dev.weir.domain.outcome.RetryPolicy;
import dev.weir.domain.outcome.StatusPolicy;
import dev.weir.domain.quota.Quota;
import dev.weir.domain.quota.Rate;
import dev.weir.domain.subscriber.Subscriber;
import dev.weir.domain.subscriber.Subscriber.OnAmbiguous;
import dev.weir.protocol.store.ClaimId;
import dev.weir.protocol.store.ConfigStore.Counts;
import dev.weir.protocol.store.ConfigStore.Page;
import dev.weir.protocol.store.ConfigStore.PutSubscriber;
import dev.weir.protocol.store.ConfigStore.SubscriberView;
import dev.weir.protocol.store.DeliveryStore.ClaimReply;
import dev.weir.protocol.store.DeliveryStore.ClaimRequest;
import dev.weir.protocol.store.DeliveryStore.Claimed;
import dev.weir.protocol.store.DeliveryStore.SettleReply;
import dev.weir.protocol.store.DeliveryStore.Settled;
import dev.weir.protocol.store.DeliveryStore.Settlement;
import dev.weir.protocol.store.InspectionStore.Balance;
import dev.weir.protocol.store.InspectionStore.DeliveryView;
import dev.weir.protocol.store.InspectionStore.State;
import dev.weir.protocol.store.PublishStore.Publication;
import dev.weir.protocol.store.PublishStore.Published;
import dev.weir.protocol.store.Store;
import dev.weir.testkit.store.StoreContract.Harness;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The vocabulary of the contract's tests over one store. Every call waits for its result. */
final class StoreBench {

  static final int MIB = 1 << 20;
  static final long HOUR_MS = 3_600_000;
  static final long TOKEN = 1_000_000;

  private final Harness harness;
  private final Store store;
  private long epoch;
  private long nonce;

  StoreBench(Harness harness) {
    this.harness = harness;
    this.store = harness.store();
    this.epoch = call(() -> store.deliveries().beginEpoch());
  }

  Store store() {
    return store;
  }

  Harness harness() {
    return harness;
  }

  <T> T call(Supplier<Future<T>> call) {
    return harness.call(call);
  }

  // Time

  long nowMs() {
    return harness.nowMs();
  }

  void advance(Duration step) {
    harness.advance(step);
  }

  void advanceMs(long ms) {
    harness.advance(Duration.ofMillis(ms));
  }

  void needsSettableClock() {
    assumeThat(harness.clockIsSettable()).as("the store's clock can be set").isTrue();
  }

  /** Moves past the lease of an attempt whose timeout is the least, 100 ms. */
  void lapseShortLease() {
    assumeThat(harness.clockIsSettable() || harness.leaseMargin().toMillis() <= 1_000)
        .as("leases are short enough to wait for")
        .isTrue();
    advance(Subscriber.MIN_TIMEOUT.plus(harness.leaseMargin()).plusMillis(20));
  }

  // Subscribers

  static Quota quota(String id, String rate, int burst) {
    return new Quota(id, Rate.parse(rate), burst);
  }

  static Subscriber subscriber(String id) {
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

  static Subscriber withCap(Subscriber from, int maxInFlight) {
    return with(from, from.quotaId(), maxInFlight, from.timeout(), from.onAmbiguous());
  }

  static Subscriber sharing(Subscriber from, String quotaId) {
    return with(from, quotaId, from.maxInFlight(), from.timeout(), from.onAmbiguous());
  }

  static Subscriber impatient(Subscriber from, OnAmbiguous onAmbiguous) {
    return with(from, from.quotaId(), from.maxInFlight(), Subscriber.MIN_TIMEOUT, onAmbiguous);
  }

  private static Subscriber with(
      Subscriber from, String quotaId, int maxInFlight, Duration timeout, OnAmbiguous onAmbiguous) {
    return new Subscriber(
        from.id(),
        from.endpoint(),
        from.method(),
        quotaId,
        maxInFlight,
        timeout,
        from.retry(),
        from.statusPolicy(),
        onAmbiguous,
        from.objective(),
        from.headers(),
        from.stampAttempts());
  }

  /** Creates subscribers without a limit. */
  void add(String... ids) {
    for (String id : ids) {
      add(subscriber(id), quota(id, "unlimited", 2));
    }
  }

  void addPaced(String id, String rate, int burst) {
    add(subscriber(id), quota(id, rate, burst));
  }

  /** Creates subscribers of one shared quota; they live in one partition. */
  void addSharing(String quotaId, String rate, int burst, String... ids) {
    call(() -> store.config().putQuota(quota(quotaId, rate, burst)));
    for (String id : ids) {
      add(sharing(subscriber(id), quotaId), null);
    }
  }

  void add(Subscriber subscriber, @Nullable Quota own) {
    assertThat(put(subscriber, own)).isEqualTo(PutSubscriber.CREATED);
  }

  PutSubscriber put(Subscriber subscriber, @Nullable Quota own) {
    return call(() -> store.config().putSubscriber(subscriber, own));
  }

  SubscriberView view(String id) {
    Optional<SubscriberView> view = call(() -> store.config().subscriber(id));
    return view.orElseThrow(() -> new AssertionError("no subscriber '" + id + "'"));
  }

  Counts counts(String id) {
    return view(id).counts();
  }

  int partition(String id) {
    return view(id).partition();
  }

  long level(String quotaId) {
    return call(() -> store.config().level(quotaId, 0));
  }

  // Publishing

  static Envelope envelope() {
    return envelope(Envelope.NONE);
  }

  static Envelope envelope(long deliverByMs) {
    return new Envelope(
        "shipment.updated", "application/json", Map.of("X-Trace", "7"), "/orders", deliverByMs);
  }

  static Buffer body(MessageId message) {
    return Buffer.buffer("{\"body\":\"" + message.key() + "\"}");
  }

  static Publication publication(MessageId message, String... targets) {
    return new Publication(message, envelope(), body(message), List.of(targets), Envelope.NONE, 0);
  }

  Published publish(Publication publication) {
    return call(() -> store.publishes().publish(publication));
  }

  Published publish(String message, String... targets) {
    return publish(publication(MessageId.of(message), targets));
  }

  Published publishBody(MessageId message, Buffer body, String... targets) {
    return publish(new Publication(message, envelope(), body, List.of(targets), Envelope.NONE, 0));
  }

  Published publishDelayed(String message, long delayMs, String... targets) {
    MessageId id = MessageId.of(message);
    return publish(
        new Publication(id, envelope(), body(id), List.of(targets), Envelope.NONE, delayMs));
  }

  Published publishDueBy(String message, long deliverByMs, String... targets) {
    MessageId id = MessageId.of(message);
    return publish(
        new Publication(id, envelope(deliverByMs), body(id), List.of(targets), Envelope.NONE, 0));
  }

  /** Publishes {@code prefix-0} to {@code prefix-(count−1)}. */
  void publishMany(String prefix, int count, String... targets) {
    for (int i = 0; i < count; i++) {
      publish(prefix + "-" + i, targets);
    }
  }

  // Claiming

  ClaimId newClaim() {
    return new ClaimId(epoch, "node_1", ++nonce);
  }

  long epoch() {
    return epoch;
  }

  /** Another process starts: claims made from here on are of its epoch. */
  long beginEpoch() {
    epoch = call(() -> store.deliveries().beginEpoch());
    return epoch;
  }

  List<ClaimReply> claim(int partition, ClaimId claim, int maxBytes, ClaimRequest... requests) {
    return call(() -> store.deliveries().claim(partition, claim, List.of(requests), maxBytes));
  }

  ClaimReply claim(String subscriber, int count) {
    return claim(newClaim(), subscriber, count);
  }

  ClaimReply claim(ClaimId claim, String subscriber, int count) {
    return claim(partition(subscriber), claim, MIB, new ClaimRequest(subscriber, count)).get(0);
  }

  /** Claims exactly one. */
  Claimed claimOne(String subscriber) {
    List<Claimed> claimed = claim(subscriber, 1).deliveries();
    assertThat(claimed).as("one to claim for '%s'", subscriber).hasSize(1);
    return claimed.get(0);
  }

  static List<String> ids(List<Claimed> claimed) {
    return claimed.stream().map(one -> one.id().message().id()).toList();
  }

  void release(List<Claimed> unstarted) {
    call(
        () ->
            store
                .deliveries()
                .release(
                    partition(unstarted.get(0).id().subscriber()),
                    unstarted.get(0).claim(),
                    unstarted));
  }

  int recover(String subscriber, long beforeEpoch) {
    return call(() -> store.deliveries().recover(partition(subscriber), beforeEpoch, 1_000));
  }

  /** Ends a claim as the start of another process does: it is stale now, its delivery ready. */
  Claimed claimThatBecomesStale(String subscriber) {
    Claimed claimed = claimOne(subscriber);
    recover(subscriber, beginEpoch());
    return claimed;
  }

  // Settling

  static Outcome delivered() {
    return new Outcome.Delivered();
  }

  static Outcome retry(long delayMs) {
    return retry(delayMs, Budget.FAILURE, Outcome.Retry.NO_GATE);
  }

  static Outcome retry(long delayMs, Budget spends, long gateMs) {
    return new Outcome.Retry(delayMs, "503", spends, gateMs, false, false);
  }

  static Outcome tooMany(long gateMs) {
    return retry(gateMs, Budget.RATE_LIMIT, gateMs);
  }

  static Outcome dead(String reason) {
    return new Outcome.Dead(reason, false);
  }

  static Outcome reconcile(String reason, long askedDelayMs) {
    return new Outcome.Reconcile(reason, askedDelayMs);
  }

  static Settlement settlement(Claimed claimed, Outcome outcome) {
    return new Settlement(
        claimed.id(),
        claimed.sequence(),
        claimed.claim(),
        outcome,
        "{\"attempt\":" + claimed.attempt() + "}",
        true);
  }

  SettleReply settle(Claimed claimed, Outcome outcome) {
    return settle(claimed.id().subscriber(), settlement(claimed, outcome)).get(0);
  }

  List<SettleReply> settle(String subscriber, Settlement... settlements) {
    return call(() -> store.deliveries().settle(partition(subscriber), List.of(settlements)));
  }

  void applies(Claimed claimed, Outcome outcome) {
    assertThat(settle(claimed, outcome).settled()).isEqualTo(Settled.APPLIED);
  }

  /** Claims one and settles it. */
  Claimed attempt(String subscriber, Outcome outcome) {
    Claimed claimed = claimOne(subscriber);
    applies(claimed, outcome);
    return claimed;
  }

  // Looking

  static DeliveryId delivery(String message, String subscriber) {
    return new DeliveryId(MessageId.of(message), subscriber);
  }

  Optional<DeliveryView> look(DeliveryId id) {
    return call(() -> store.inspection().delivery(id));
  }

  DeliveryView look(String message, String subscriber) {
    return look(delivery(message, subscriber))
        .orElseThrow(() -> new AssertionError("no delivery " + message + " for " + subscriber));
  }

  State state(String message, String subscriber) {
    return look(message, subscriber).delivery().state();
  }

  /** All pages, none larger than {@code limit}. */
  static <T> List<T> all(int limit, Function<@Nullable String, Page<T>> page) {
    List<T> items = new ArrayList<>();
    @Nullable String after = null;
    for (int pages = 0; pages < 1_000; pages++) {
      Page<T> next = page.apply(after);
      assertThat(next.items().size()).isLessThanOrEqualTo(limit);
      items.addAll(next.items());
      if (next.next() == null) {
        return items;
      }
      after = next.next();
    }
    throw new AssertionError("a listing without end");
  }

  /** Recounts; no problem, and the sides of invariant 1 add up. */
  Balance balance() {
    Balance balance = call(() -> store.inspection().balance());
    assertThat(balance.problems()).isEmpty();
    assertThat(balance.holds()).isTrue();
    assertThat(balance.accepted())
        .isEqualTo(
            balance.delivered()
                + balance.cancelled()
                + balance.purged()
                + balance.dead()
                + balance.reconciling()
                + balance.pending());
    return balance;
  }
}
