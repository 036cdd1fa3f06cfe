package dev.weir.store;

import static org.assertj.core.api.Assertions.assertThat;

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
import dev.weir.protocol.store.DeliveryStore.ClaimReply;
import dev.weir.protocol.store.DeliveryStore.ClaimRequest;
import dev.weir.protocol.store.DeliveryStore.Claimed;
import dev.weir.protocol.store.DeliveryStore.SettleReply;
import dev.weir.protocol.store.DeliveryStore.Settlement;
import dev.weir.protocol.store.PublishStore.Publication;
import dev.weir.protocol.store.PublishStore.Published;
import dev.weir.protocol.store.Store;
import dev.weir.testkit.redis.RedisProcess;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** A store and the Redis behind it, for tests that look at both sides. */
final class Drill implements AutoCloseable {

  final RedisProcess redis;
  final RedisBench bench;
  final Store store;
  private final long epoch;
  private long nonce;

  private Drill(RedisProcess redis, RedisBench bench) {
    this.redis = redis;
    this.bench = bench;
    this.store = bench.store();
    this.epoch = call(() -> store.deliveries().beginEpoch());
  }

  static Drill onEmpty(RedisProcess redis) {
    return new Drill(redis, RedisBench.onEmpty(redis));
  }

  static Drill onEmpty(RedisProcess redis, StoreConfig constants) {
    return new Drill(redis, RedisBench.onEmpty(redis, constants));
  }

  /** The next process, on what the last one left. */
  static Drill onKept(RedisProcess redis) {
    return new Drill(redis, RedisBench.onKept(redis));
  }

  <T> T call(Supplier<Future<T>> call) {
    return bench.call(call);
  }

  void add(String id) {
    add(id, "unlimited", 2);
  }

  void add(String id, String rate, int burst) {
    Quota own = new Quota(id, Rate.parse(rate), burst);
    call(() -> store.config().putSubscriber(subscriber(id, id), own));
  }

  void addSharing(String quota, String rate, int burst, String... ids) {
    call(() -> store.config().putQuota(new Quota(quota, Rate.parse(rate), burst)));
    for (String id : ids) {
      call(() -> store.config().putSubscriber(subscriber(id, quota), null));
    }
  }

  static Subscriber subscriber(String id, String quota) {
    return new Subscriber(
        id,
        URI.create("http://127.0.0.1:9/hook"),
        "POST",
        quota,
        Subscriber.MAX_IN_FLIGHT,
        Duration.ofSeconds(10),
        RetryPolicy.DEFAULT,
        StatusPolicy.DEFAULT,
        OnAmbiguous.RETRY,
        Subscriber.DEFAULT_OBJECTIVE,
        Map.of(),
        false);
  }

  int partition(String quota) {
    return new Partitions(store.deliveries().partitions()).of(quota);
  }

  /** A key of the partition of a quota. */
  String key(String quota, String rest) {
    return Keys.prefix(partition(quota)) + rest;
  }

  static Publication publication(String message, List<String> targets) {
    return new Publication(
        MessageId.of(message),
        new Envelope("t", "text/plain", Map.of(), null, Envelope.NONE),
        Buffer.buffer("body of " + message),
        targets,
        Envelope.NONE,
        0);
  }

  Published publish(String message, String... targets) {
    return call(() -> store.publishes().publish(publication(message, List.of(targets))));
  }

  void publishMany(String prefix, int count, String... targets) {
    for (int i = 0; i < count; i++) {
      publish(prefix + i, targets);
    }
  }

  ClaimId newClaim() {
    return new ClaimId(epoch, "node_1", ++nonce);
  }

  long epoch() {
    return epoch;
  }

  ClaimReply claim(String subscriber, int count) {
    return claim(newClaim(), subscriber, subscriber, count);
  }

  ClaimReply claim(ClaimId claim, String quota, String subscriber, int count) {
    List<ClaimRequest> wanted = List.of(new ClaimRequest(subscriber, count));
    return call(() -> store.deliveries().claim(partition(quota), claim, wanted, 1 << 20)).get(0);
  }

  Claimed claimOne(String subscriber) {
    ClaimReply reply = claim(subscriber, 1);
    assertThat(reply.deliveries()).as("one of '%s', %s", subscriber, reply.limit()).hasSize(1);
    return reply.deliveries().get(0);
  }

  SettleReply settle(Claimed claimed, Outcome outcome) {
    return settle(claimed.id().subscriber(), claimed, outcome);
  }

  SettleReply settle(String quota, Claimed claimed, Outcome outcome) {
    List<Settlement> one =
        List.of(
            new Settlement(
                claimed.id(), claimed.sequence(), claimed.claim(), outcome, "{\"a\":1}", true));
    return call(() -> store.deliveries().settle(partition(quota), one)).get(0);
  }

  void release(String quota, List<Claimed> unstarted) {
    call(() -> store.deliveries().release(partition(quota), unstarted.get(0).claim(), unstarted));
  }

  static Outcome delivered() {
    return new Outcome.Delivered();
  }

  static Outcome retry(Budget budget, long gateMs) {
    return new Outcome.Retry(0, "503", budget, gateMs, false, false);
  }

  static Outcome failure() {
    return retry(Budget.FAILURE, Outcome.Retry.NO_GATE);
  }

  static Outcome dead() {
    return new Outcome.Dead("404", false);
  }

  static DeliveryId delivery(String message, String subscriber) {
    return new DeliveryId(MessageId.of(message), subscriber);
  }

  Counts counts(String subscriber) {
    return call(() -> store.config().subscriber(subscriber)).orElseThrow().counts();
  }

  long level(String quota) {
    return call(() -> store.config().level(quota, 0));
  }

  List<String> problems() {
    return call(() -> store.inspection().balance()).problems();
  }

  void balances() {
    assertThat(problems()).isEmpty();
    assertThat(call(() -> store.inspection().balance()).holds()).isTrue();
  }

  @Nullable Object redis(String... command) {
    return redis.call(command);
  }

  long number(String... command) {
    return Long.parseLong(String.valueOf(redis(command)));
  }

  /** What the hash holds of a quota's field; 0 when it holds nothing. */
  long ofQuota(String quota, String field) {
    Object value = redis("HGET", key(quota, "q:" + quota), field);
    return value == null ? 0 : Long.parseLong(value.toString());
  }

  @Override
  public void close() {
    bench.close();
  }
}
