package dev.weir.testkit.store;

import dev.weir.domain.message.DeliveryId;
import dev.weir.domain.message.Escaping;
import dev.weir.domain.message.MessageId;
import dev.weir.domain.quota.Quota;
import dev.weir.protocol.store.ConfigStore.Page;
import dev.weir.protocol.store.StoreException;
import io.vertx.core.Future;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.function.ToIntFunction;
import org.jspecify.annotations.Nullable;

/**
 * What the four ports share. Every port method runs whole under this object's lock, as a script
 * runs whole in Redis.
 */
final class MemoryState {

  static final long LEDGER_MS = Duration.ofDays(8).toMillis();
  static final long LEASE_MARGIN_MS = 15_000;

  /** Escaped ids in byte order, which is how the real store lists them. */
  final Map<String, MemorySubscriber> subscribers = new TreeMap<>(BY_ESCAPED);

  final Map<String, MemoryQuota> quotas = new TreeMap<>(BY_ESCAPED);

  /** Quotas that were deleted, for the evidence of what was spent. */
  private final Map<String, MemoryQuota> retired = new HashMap<>();

  final long[] epochs;

  private static final Comparator<String> BY_ESCAPED = Comparator.comparing(Escaping::escape);

  private final Map<MessageKey, MemoryMessage> messages = new HashMap<>();
  private final ToIntFunction<String> partitionOfQuota;
  private final InstantSource clock;
  private final long[] sequences;
  private long purgedBySubscribersGone;
  private long acceptedBySubscribersGone;
  private long deliveredBySubscribersGone;
  private long cancelledBySubscribersGone;

  MemoryState(InstantSource clock, int partitions, ToIntFunction<String> partitionOfQuota) {
    this.clock = clock;
    this.partitionOfQuota = partitionOfQuota;
    this.epochs = new long[partitions];
    this.sequences = new long[partitions];
  }

  private record MessageKey(int partition, MessageId message) {}

  /** Totals of subscribers that were deleted. */
  record Gone(long accepted, long delivered, long cancelled, long purged) {}

  long nowMs() {
    return clock.millis();
  }

  long nowMicros() {
    Instant now = clock.instant();
    return Math.addExact(
        Math.multiplyExact(now.getEpochSecond(), 1_000_000L), now.getNano() / 1_000);
  }

  int partitions() {
    return epochs.length;
  }

  int partitionOf(String quotaId) {
    return partitionOfQuota.applyAsInt(quotaId);
  }

  /** Runs a port method: one at a time, what it throws becomes a failed future. */
  synchronized <T> Future<T> run(String operation, Supplier<T> step) {
    try {
      return Future.succeededFuture(step.get());
    } catch (StoreException expected) {
      return Future.failedFuture(expected);
    } catch (RuntimeException bug) {
      return Future.failedFuture(
          new StoreException(StoreException.Kind.BROKEN, operation, bug.toString(), bug));
    }
  }

  @Nullable MemoryMessage message(int partition, MessageId id) {
    MessageKey key = new MessageKey(partition, id);
    MemoryMessage message = messages.get(key);
    if (message != null && message.isForgotten(nowMs(), LEDGER_MS)) {
      messages.remove(key);
      return null;
    }
    return message;
  }

  MemoryMessage store(int partition, MessageId id, Function<Long, MemoryMessage> make) {
    MemoryMessage message = make.apply(++sequences[partition]);
    messages.put(new MessageKey(partition, id), message);
    return message;
  }

  @Nullable MemoryDelivery delivery(DeliveryId id) {
    MemorySubscriber subscriber = subscribers.get(id.subscriber());
    if (subscriber == null) {
      return null;
    }
    MemoryMessage message = message(subscriber.partition, id.message());
    return message == null ? null : message.deliveries.get(id.subscriber());
  }

  List<MemoryMessage> messages() {
    return List.copyOf(messages.values());
  }

  List<MemorySubscriber> subscribersOf(int partition) {
    return subscribers.values().stream()
        .filter(subscriber -> subscriber.partition == partition)
        .toList();
  }

  void forget(MemorySubscriber subscriber) {
    subscribers.remove(subscriber.id());
    subscriber.quota.holders.remove(subscriber.id());
    if (!subscriber.quota.shared) {
      retire(subscriber.quota.quota().id());
    }
    acceptedBySubscribersGone += subscriber.accepted;
    deliveredBySubscribersGone += subscriber.delivered;
    cancelledBySubscribersGone += subscriber.cancelled;
    purgedBySubscribersGone += subscriber.purged;
  }

  void retire(String quotaId) {
    MemoryQuota gone = quotas.remove(quotaId);
    if (gone != null) {
      retired.put(quotaId, gone);
    }
  }

  MemoryQuota create(Quota quota, boolean shared) {
    MemoryQuota before = retired.remove(quota.id());
    MemoryQuota created =
        before == null
            ? new MemoryQuota(quota, shared, partitionOf(quota.id()))
            : before.successor(quota, shared, nowMicros());
    quotas.put(quota.id(), created);
    return created;
  }

  Gone gone() {
    return new Gone(
        acceptedBySubscribersGone,
        deliveredBySubscribersGone,
        cancelledBySubscribersGone,
        purgedBySubscribersGone);
  }

  /** A page of {@code sorted}, beginning after the one whose cursor is {@code after}. */
  static <A, T> Page<T> page(
      List<A> sorted,
      Function<A, String> cursor,
      @Nullable String after,
      int limit,
      Function<A, T> view) {
    List<A> rest = new ArrayList<>(sorted);
    if (after != null) {
      rest.removeIf(item -> cursor.apply(item).compareTo(after) <= 0);
    }
    List<A> items = rest.subList(0, Math.min(limit, rest.size()));
    String next =
        items.size() < rest.size() && !items.isEmpty()
            ? cursor.apply(items.get(items.size() - 1))
            : null;
    return new Page<>(items.stream().map(view).toList(), next);
  }
}
