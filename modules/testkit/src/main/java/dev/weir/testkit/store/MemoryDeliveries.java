package dev.weir.testkit.store;

import dev.weir.domain.message.DeliveryId;
import dev.weir.domain.outcome.Gate;
import dev.weir.domain.outcome.Outcome;
import dev.weir.domain.outcome.Outcome.Budget;
import dev.weir.domain.subscriber.Subscriber.OnAmbiguous;
import dev.weir.domain.subscriber.Subscriber.State;
import dev.weir.protocol.store.ClaimId;
import dev.weir.protocol.store.DeliveryStore;
import dev.weir.protocol.store.StoreException;
import io.vertx.core.Future;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Claims, outcomes and everything between. */
final class MemoryDeliveries implements DeliveryStore {

  private static final int STEP = 100;

  /** A ramp widens all the time; asking ten times a second follows it closely enough. */
  private static final long RAMP_STEP_MS = 100;

  private final MemoryState state;
  private long lastEpoch;

  MemoryDeliveries(MemoryState state) {
    this.state = state;
  }

  @Override
  public int partitions() {
    return state.partitions();
  }

  @Override
  public Future<Long> beginEpoch() {
    return state.run(
        "beginEpoch",
        () -> {
          Arrays.fill(state.epochs, ++lastEpoch);
          return lastEpoch;
        });
  }

  // Claim

  @Override
  public Future<List<ClaimReply>> claim(
      int partition, ClaimId claim, List<ClaimRequest> requests, int maxBytes) {
    return state.run(
        "claim",
        () -> {
          if (state.epochs[partition] > claim.epoch()) {
            throw new StoreException(
                StoreException.Kind.FENCED,
                "claim",
                "epoch " + claim.epoch() + " is older than " + state.epochs[partition],
                null);
          }
          Allowance bytes = new Allowance(maxBytes);
          return requests.stream().map(request -> claim(partition, claim, request, bytes)).toList();
        });
  }

  /** Bytes that one reply may still carry. */
  private static final class Allowance {
    private long left;
    private boolean untouched = true;

    Allowance(long left) {
      this.left = left;
    }

    boolean takes(int bytes) {
      if (bytes > left && !untouched) {
        return false;
      }
      untouched = false;
      left -= bytes;
      return true;
    }
  }

  /** How many may be claimed, and what bounds it: the first that bounds harder wins. */
  private static final class Bound {
    private long count;
    private Limit limit = Limit.NONE;

    Bound(long count) {
      this.count = count;
    }

    void atMost(long most, Limit why) {
      if (most < count) {
        this.count = most;
        this.limit = why;
      }
    }
  }

  private ClaimReply claim(int partition, ClaimId claim, ClaimRequest request, Allowance bytes) {
    MemorySubscriber subscriber = state.subscribers.get(request.subscriber());
    if (subscriber == null || subscriber.partition != partition) {
      return new ClaimReply(request.subscriber(), List.of(), Limit.UNKNOWN, -1, 0);
    }
    if (claim.equals(subscriber.lastClaim)) {
      return again(subscriber, claim);
    }
    expireLapsed(subscriber);
    promoteDue(subscriber);
    Bound bound = bound(subscriber, request.count());
    return bound.count == 0
        ? reply(subscriber, List.of(), bound.limit)
        : take(subscriber, claim, bound, bytes);
  }

  /** The reply was lost and the claim is repeated: the same deliveries, nothing more. */
  private ClaimReply again(MemorySubscriber subscriber, ClaimId claim) {
    List<Claimed> same =
        subscriber.in(Place.IN_FLIGHT).stream()
            .filter(delivery -> claim.equals(delivery.claim))
            .sorted(Comparator.comparingLong(MemoryDelivery::rank))
            .map(delivery -> claimed(delivery, claim, subscriber.quota.isProbe(claim, delivery.id)))
            .toList();
    return new ClaimReply(subscriber.id(), same, Limit.BYTES, 0, subscriber.version());
  }

  private void expireLapsed(MemorySubscriber subscriber) {
    subscriber.in(Place.IN_FLIGHT).stream()
        .limit(STEP)
        .filter(delivery -> delivery.score <= state.nowMs())
        .toList()
        .forEach(delivery -> lapse(subscriber, delivery, "ambiguous: lease lapsed"));
  }

  private void lapse(MemorySubscriber subscriber, MemoryDelivery delivery, String why) {
    subscriber.quota.forgetProbe(delivery.claim, delivery.id);
    if (subscriber.subscriber().onAmbiguous() == OnAmbiguous.HOLD) {
      delivery.reason = why;
      subscriber.move(delivery, Place.RECONCILING, state.nowMs(), state.nowMs());
    } else {
      subscriber.move(delivery, Place.READY, delivery.rank(), state.nowMs());
    }
  }

  private void promoteDue(MemorySubscriber subscriber) {
    subscriber.in(Place.DELAYED).stream()
        .limit(STEP)
        .filter(delivery -> delivery.score <= state.nowMs())
        .toList()
        .forEach(
            delivery -> {
              delivery.eligibleMs = delivery.score;
              subscriber.move(delivery, Place.READY, delivery.rank(), state.nowMs());
            });
  }

  private Bound bound(MemorySubscriber subscriber, int asked) {
    MemoryQuota quota = subscriber.quota;
    long nowMs = state.nowMs();
    Bound bound = new Bound(asked);
    if (!subscriber.isActive()) {
      bound.atMost(0, Limit.PAUSED);
    }
    Gate.Passage passage = quota.passage(nowMs);
    if (passage.kind() == Gate.Passage.Kind.CLOSED) {
      bound.atMost(0, Limit.GATE);
    } else if (passage.kind() != Gate.Passage.Kind.FREE
        && passage.kind() != Gate.Passage.Kind.RAMP) {
      bound.atMost(passage.cap(1), Limit.PROBE);
    }
    int inFlight = subscriber.in(Place.IN_FLIGHT).size();
    int cap = subscriber.subscriber().maxInFlight();
    bound.atMost(Math.max(0, cap - inFlight), Limit.IN_FLIGHT);
    if (passage.kind() == Gate.Passage.Kind.RAMP) {
      bound.atMost(Math.max(0, passage.cap(cap) - inFlight), Limit.RAMP);
    }
    bound.atMost(quota.available(state.nowMicros()), Limit.QUOTA);
    return bound;
  }

  private long leaseEndsInMs(MemorySubscriber subscriber) {
    return subscriber.in(Place.IN_FLIGHT).isEmpty()
        ? -1
        : Math.max(0, subscriber.in(Place.IN_FLIGHT).first().score - state.nowMs());
  }

  private ClaimReply take(
      MemorySubscriber subscriber, ClaimId claim, Bound bound, Allowance bytes) {
    List<Claimed> taken = new ArrayList<>();
    boolean probe = subscriber.quota.isHalfOpen();
    while (taken.size() < bound.count && !subscriber.in(Place.READY).isEmpty()) {
      MemoryDelivery head = subscriber.in(Place.READY).first();
      if (!bytes.takes(head.message.fingerprint.length())) {
        bound.atMost(taken.size(), Limit.BYTES);
        break;
      }
      long leaseEndMs =
          state.nowMs()
              + subscriber.subscriber().timeout().toMillis()
              + MemoryState.LEASE_MARGIN_MS;
      begin(subscriber, head, claim, leaseEndMs);
      if (probe) {
        subscriber.quota.sendProbe(claim, head.id, leaseEndMs);
      }
      taken.add(claimed(head, claim, probe));
    }
    if (!taken.isEmpty()) {
      subscriber.lastClaim = claim;
      subscriber.quota.spend(taken.size(), state.nowMicros());
    }
    bound.atMost(taken.size(), Limit.EMPTY);
    return reply(subscriber, taken, bound.limit);
  }

  private void begin(
      MemorySubscriber subscriber, MemoryDelivery delivery, ClaimId claim, long leaseEndMs) {
    subscriber.move(delivery, Place.IN_FLIGHT, leaseEndMs, state.nowMs());
    delivery.claim = claim;
    delivery.attempts++;
    delivery.claimedMs = state.nowMs();
    if (delivery.firstClaimedMs < 0) {
      delivery.firstClaimedMs = state.nowMs();
    }
  }

  private long emptyInMs(MemorySubscriber subscriber) {
    long delayedInMs =
        subscriber.in(Place.DELAYED).isEmpty()
            ? -1
            : Math.max(0, subscriber.in(Place.DELAYED).first().score - state.nowMs());
    long leaseInMs = leaseEndsInMs(subscriber);
    if (delayedInMs < 0 || leaseInMs < 0) {
      return Math.max(delayedInMs, leaseInMs);
    }
    return Math.min(delayedInMs, leaseInMs);
  }

  private ClaimReply reply(MemorySubscriber subscriber, List<Claimed> taken, Limit limit) {
    return new ClaimReply(
        subscriber.id(),
        List.copyOf(taken),
        limit,
        nextInMs(subscriber, limit),
        subscriber.version());
  }

  /** When that limit may be over, as things are once the claim is done. */
  private long nextInMs(MemorySubscriber subscriber, Limit limit) {
    return switch (limit) {
      case NONE, BYTES -> 0;
      case EMPTY -> emptyInMs(subscriber);
      case GATE -> subscriber.quota.gateInMs(state.nowMs());
      case PROBE -> subscriber.quota.passage(state.nowMs()).nextInMs();
      case RAMP -> RAMP_STEP_MS;
      case QUOTA -> subscriber.quota.tokenInMs(state.nowMicros());
      case IN_FLIGHT -> leaseEndsInMs(subscriber);
      case PAUSED, UNKNOWN -> -1;
    };
  }

  private static Claimed claimed(MemoryDelivery delivery, ClaimId claim, boolean probe) {
    return new Claimed(
        delivery.id,
        delivery.sequence(),
        claim,
        delivery.attempts,
        delivery.failures,
        delivery.rateLimits,
        delivery.redrives,
        delivery.eligibleMs,
        delivery.claimedMs,
        delivery.firstClaimedMs,
        probe,
        delivery.message.envelope(),
        delivery.message.fingerprint.copy());
  }

  // Settle

  @Override
  public Future<List<SettleReply>> settle(int partition, List<Settlement> settlements) {
    return state.run(
        "settle",
        () -> settlements.stream().map(settlement -> settle(partition, settlement)).toList());
  }

  private SettleReply settle(int partition, Settlement settlement) {
    MemorySubscriber subscriber = state.subscribers.get(settlement.id().subscriber());
    MemoryDelivery delivery = find(partition, settlement.id(), settlement.sequence());
    if (subscriber == null || delivery == null) {
      return new SettleReply(Settled.UNKNOWN, 0);
    }
    Settled settled = decide(delivery, settlement);
    if (settled == Settled.APPLIED) {
      apply(subscriber, delivery, settlement);
    }
    return new SettleReply(settled, subscriber.quota.gateInMs(state.nowMs()));
  }

  private @Nullable MemoryDelivery find(int partition, DeliveryId id, long sequence) {
    MemoryDelivery delivery = state.delivery(id);
    return delivery == null
            || delivery.message.partition != partition
            || delivery.sequence() != sequence
        ? null
        : delivery;
  }

  private static Settled decide(MemoryDelivery delivery, Settlement settlement) {
    boolean current =
        delivery.place == Place.IN_FLIGHT && settlement.claim().equals(delivery.claim);
    if (current) {
      return Settled.APPLIED;
    }
    if (settlement.outcome() instanceof Outcome.Delivered) {
      return delivery.place.isFinal() ? Settled.ALREADY : Settled.APPLIED;
    }
    return settlement.claim().equals(delivery.settledClaim) ? Settled.ALREADY : Settled.SUPERSEDED;
  }

  private void apply(MemorySubscriber subscriber, MemoryDelivery delivery, Settlement settlement) {
    long nowMs = state.nowMs();
    Outcome outcome = settlement.outcome();
    // Whoever's success it is: a probe that another claim sent ends with its delivery.
    ClaimId ended = Objects.requireNonNullElse(delivery.claim, settlement.claim());
    delivery.trace(settlement.trace(), nowMs);
    delivery.settledClaim = settlement.claim();
    if (outcome instanceof Outcome.Delivered) {
      if (!settlement.keepTrace()) {
        delivery.dropTrace();
      }
      delivery.reason = null;
      subscriber.move(delivery, Place.DONE, nowMs, nowMs);
    } else if (outcome instanceof Outcome.Retry retry) {
      retry(subscriber, delivery, retry);
    } else if (outcome instanceof Outcome.Dead dead) {
      delivery.reason = dead.reason();
      subscriber.move(delivery, Place.DEAD, nowMs, nowMs);
      if (dead.disableSubscriber()) {
        subscriber.become(State.DISABLED, dead.reason());
      }
    } else if (outcome instanceof Outcome.Reconcile reconcile) {
      delivery.reason = reconcile.reason();
      delivery.askedDelayMs = reconcile.askedDelayMs();
      subscriber.move(delivery, Place.RECONCILING, nowMs, nowMs);
      if (reconcile.pauseSubscriber()) {
        subscriber.become(State.PAUSED, reconcile.reason());
      }
    }
    subscriber.quota.settled(ended, delivery.id, outcome, state.nowMicros());
  }

  private void retry(MemorySubscriber subscriber, MemoryDelivery delivery, Outcome.Retry retry) {
    long nowMs = state.nowMs();
    if (retry.spends() == Budget.FAILURE) {
      delivery.failures++;
      delivery.rateLimits = 0;
    } else if (retry.spends() == Budget.RATE_LIMIT) {
      delivery.rateLimits++;
    }
    delivery.reason = retry.reason();
    delivery.eligibleMs = nowMs + retry.delayMs();
    subscriber.move(delivery, Place.DELAYED, delivery.eligibleMs, nowMs);
    if (retry.pauseSubscriber()) {
      subscriber.become(State.PAUSED, retry.reason());
    }
  }

  // Release, recover, sweep, purge

  @Override
  public Future<Void> release(int partition, ClaimId claim, List<Claimed> unstarted) {
    return state.run(
        "release",
        () -> {
          unstarted.stream()
              .map(Claimed::id)
              .map(DeliveryId::subscriber)
              .distinct()
              .forEach(subscriber -> release(partition, subscriber, claim, unstarted));
          return null;
        });
  }

  private void release(int partition, String id, ClaimId claim, List<Claimed> unstarted) {
    MemorySubscriber subscriber = state.subscribers.get(id);
    if (subscriber == null) {
      return;
    }
    List<MemoryDelivery> mine = new ArrayList<>();
    for (Claimed claimed : unstarted) {
      MemoryDelivery delivery = find(partition, claimed.id(), claimed.sequence());
      if (claimed.id().subscriber().equals(id)
          && delivery != null
          && delivery.place == Place.IN_FLIGHT
          && claim.equals(delivery.claim)) {
        mine.add(delivery);
      }
    }
    mine.forEach(delivery -> giveBack(subscriber, delivery));
    mine.stream()
        .mapToLong(delivery -> delivery.claimedMs)
        .min()
        .ifPresent(oldestMs -> subscriber.quota.refund(mine.size(), oldestMs, state.nowMicros()));
  }

  private void giveBack(MemorySubscriber subscriber, MemoryDelivery delivery) {
    subscriber.quota.forgetProbe(delivery.claim, delivery.id);
    delivery.attempts--;
    subscriber.move(delivery, Place.READY, delivery.rank(), state.nowMs());
  }

  @Override
  public Future<Integer> recover(int partition, long epoch, int limit) {
    return state.run(
        "recover",
        () -> {
          int count = 0;
          for (MemorySubscriber subscriber : state.subscribersOf(partition)) {
            List<MemoryDelivery> old =
                subscriber.in(Place.IN_FLIGHT).stream()
                    .filter(delivery -> delivery.claim != null && delivery.claim.epoch() < epoch)
                    .limit(limit - count)
                    .toList();
            old.forEach(delivery -> lapse(subscriber, delivery, "ambiguous: its node is gone"));
            count += old.size();
          }
          return count;
        });
  }

  @Override
  public Future<Sweep> sweep(int partition, int limit) {
    return state.run("sweep", () -> sweepNow(partition, limit));
  }

  private record Next(String subscriber, long inMs) {}

  private Sweep sweepNow(int partition, int limit) {
    List<Next> all =
        state.subscribersOf(partition).stream()
            .map(subscriber -> new Next(subscriber.id(), inMs(subscriber)))
            .filter(next -> next.inMs != Long.MAX_VALUE)
            .sorted(Comparator.comparingLong(Next::inMs))
            .toList();
    List<Due> due =
        all.stream()
            .filter(next -> next.inMs <= 0)
            .limit(limit)
            .map(next -> new Due(next.subscriber, -next.inMs))
            .toList();
    long nextInMs = due.size() < all.size() ? Math.max(0, all.get(due.size()).inMs) : -1;
    return new Sweep(due, nextInMs);
  }

  private long inMs(MemorySubscriber subscriber) {
    long nextMs = subscriber.nextMs(state.nowMicros());
    return nextMs == Long.MAX_VALUE ? nextMs : nextMs - state.nowMs();
  }

  @Override
  public Future<Integer> purgeDeadLetters(int partition, long olderThanMs, int limit) {
    return state.run(
        "purgeDeadLetters",
        () -> {
          int count = 0;
          for (MemorySubscriber subscriber : state.subscribersOf(partition)) {
            List<MemoryDelivery> old =
                subscriber.in(Place.DEAD).stream()
                    .filter(delivery -> state.nowMs() - delivery.sinceMs >= olderThanMs)
                    .limit(limit - count)
                    .toList();
            old.forEach(
                delivery -> subscriber.move(delivery, Place.PURGED, state.nowMs(), state.nowMs()));
            count += old.size();
          }
          return count;
        });
  }
}
