package dev.weir.testkit.store;

import dev.weir.domain.message.Escaping;
import dev.weir.domain.subscriber.Subscriber;
import dev.weir.domain.subscriber.Subscriber.State;
import dev.weir.protocol.store.ClaimId;
import dev.weir.protocol.store.ConfigStore.Counts;
import dev.weir.protocol.store.ConfigStore.SubscriberSetup;
import dev.weir.protocol.store.ConfigStore.SubscriberView;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** One subscriber: its configuration, its state, and the sets that hold its deliveries. */
final class MemorySubscriber {

  private static final Comparator<MemoryDelivery> BY_SCORE =
      Comparator.<MemoryDelivery>comparingLong(delivery -> delivery.score)
          .thenComparingLong(MemoryDelivery::sequence);

  final MemoryQuota quota;
  final int partition;

  private final Map<Place, NavigableSet<MemoryDelivery>> sets = new EnumMap<>(Place.class);
  private Subscriber subscriber;
  private State state = State.ACTIVE;
  private @Nullable String why;
  private long version = 1;

  /** The last claim that took something: asked again, it gets the same and nothing more. */
  @Nullable ClaimId lastClaim;

  long accepted;
  long delivered;
  long cancelled;
  long purged;

  MemorySubscriber(Subscriber subscriber, MemoryQuota quota, int partition) {
    this.subscriber = subscriber;
    this.quota = quota;
    this.partition = partition;
    for (Place place : Place.values()) {
      if (!place.isFinal()) {
        sets.put(place, new TreeSet<>(BY_SCORE));
      }
    }
  }

  String id() {
    return subscriber.id();
  }

  String sortKey() {
    return Escaping.escape(subscriber.id());
  }

  Subscriber subscriber() {
    return subscriber;
  }

  void replace(Subscriber with) {
    subscriber = with;
    version++;
  }

  long version() {
    return version;
  }

  void bump() {
    version++;
  }

  void become(State next, @Nullable String reason) {
    state = next;
    why = reason;
    version++;
  }

  State state() {
    return state == State.ACTIVE && rateIsZero() ? State.PAUSED : state;
  }

  private boolean rateIsZero() {
    return !subscriber.sharesQuota() && quota.quota().rate().isZero();
  }

  private @Nullable String reason() {
    return state == State.ACTIVE && rateIsZero() ? "rate is 0" : why;
  }

  boolean isActive() {
    return state() == State.ACTIVE;
  }

  NavigableSet<MemoryDelivery> in(Place place) {
    return sets.getOrDefault(place, new TreeSet<>(BY_SCORE));
  }

  /** The one way a delivery changes place; counts what becomes final. */
  void move(MemoryDelivery delivery, Place to, long score, long nowMs) {
    boolean wasFinal = delivery.place.isFinal();
    in(delivery.place).remove(delivery);
    delivery.place = to;
    delivery.score = score;
    delivery.sinceMs = nowMs;
    if (to != Place.IN_FLIGHT) {
      delivery.claim = null;
    }
    if (!to.isFinal()) {
      in(to).add(delivery);
    }
    if (to.isFinal() && !wasFinal) {
      count(to);
      delivery.message.closed(nowMs);
    }
  }

  private void count(Place place) {
    if (place == Place.DONE) {
      delivered++;
    } else if (place == Place.CANCELLED) {
      cancelled++;
    } else {
      purged++;
    }
  }

  /** A new delivery of an open message. */
  void admit(MemoryDelivery delivery, Place place, long score, long nowMs) {
    accepted++;
    delivery.message.opened();
    move(delivery, place, score, nowMs);
  }

  List<MemoryDelivery> open() {
    List<MemoryDelivery> all = new ArrayList<>();
    sets.values().forEach(all::addAll);
    return all;
  }

  /** When something can be done next, epoch ms; {@code Long.MAX_VALUE} for never by itself. */
  long nextMs(long nowMicros) {
    NavigableSet<MemoryDelivery> inFlight = in(Place.IN_FLIGHT);
    long leaseEndMs = inFlight.isEmpty() ? Long.MAX_VALUE : inFlight.first().score;
    if (!isActive() || inFlight.size() >= subscriber.maxInFlight()) {
      return leaseEndMs;
    }
    return Math.min(leaseEndMs, quota.openMs(workMs(), nowMicros));
  }

  private long workMs() {
    long readyMs =
        in(Place.READY).stream()
            .mapToLong(delivery -> delivery.eligibleMs)
            .min()
            .orElse(Long.MAX_VALUE);
    NavigableSet<MemoryDelivery> delayed = in(Place.DELAYED);
    return Math.min(readyMs, delayed.isEmpty() ? Long.MAX_VALUE : delayed.first().score);
  }

  SubscriberView view(long nowMs) {
    return new SubscriberView(
        subscriber, quota.quota(), version, partition, state(), reason(), counts(nowMs));
  }

  SubscriberSetup setup(long sendWindowMs, long nowMicros) {
    return new SubscriberSetup(
        subscriber,
        quota.quota(),
        version,
        partition,
        state(),
        quota.level(sendWindowMs, nowMicros));
  }

  private Counts counts(long nowMs) {
    NavigableSet<MemoryDelivery> ready = in(Place.READY);
    return new Counts(
        ready.size(),
        in(Place.DELAYED).size(),
        in(Place.IN_FLIGHT).size(),
        in(Place.DEAD).size(),
        in(Place.RECONCILING).size(),
        accepted,
        delivered,
        cancelled,
        purged,
        quota.gateInMs(nowMs),
        ready.isEmpty() ? -1 : Math.max(0, nowMs - ready.first().eligibleMs));
  }
}
