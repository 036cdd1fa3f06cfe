package dev.weir.testkit.store;

import dev.weir.domain.message.Escaping;
import dev.weir.domain.quota.Quota;
import dev.weir.domain.subscriber.Subscriber;
import dev.weir.domain.subscriber.Subscriber.State;
import dev.weir.protocol.store.ConfigStore;
import io.vertx.core.Future;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Subscribers and quotas. */
final class MemoryConfig implements ConfigStore {

  private static final int SHOWN_HOLDERS = 100;

  private final MemoryState state;

  MemoryConfig(MemoryState state) {
    this.state = state;
  }

  @Override
  public Future<PutSubscriber> putSubscriber(Subscriber subscriber, @Nullable Quota own) {
    return state.run("putSubscriber", () -> put(subscriber, own));
  }

  private PutSubscriber put(Subscriber subscriber, @Nullable Quota own) {
    MemorySubscriber known = state.subscribers.get(subscriber.id());
    MemoryQuota quota = state.quotas.get(subscriber.quotaId());
    if (known != null && !known.subscriber().quotaId().equals(subscriber.quotaId())) {
      return PutSubscriber.OTHER_QUOTA;
    }
    if (own == null ? quota == null || !quota.shared : quota != null && quota.shared) {
      return PutSubscriber.NO_QUOTA;
    }
    if (known != null) {
      if (own != null) {
        known.quota.replace(own, state.nowMicros());
      }
      known.replace(subscriber);
      return PutSubscriber.REPLACED;
    }
    if (quota == null && own != null) {
      quota = state.create(own, false);
    }
    if (quota == null) {
      return PutSubscriber.NO_QUOTA;
    }
    quota.holders.add(subscriber.id());
    state.subscribers.put(
        subscriber.id(), new MemorySubscriber(subscriber, quota, quota.partition));
    return PutSubscriber.CREATED;
  }

  @Override
  public Future<Optional<SubscriberView>> subscriber(String id) {
    return state.run(
        "subscriber",
        () ->
            Optional.ofNullable(state.subscribers.get(id))
                .map(subscriber -> subscriber.view(state.nowMs())));
  }

  @Override
  public Future<Optional<SubscriberSetup>> setup(String id, long sendWindowMs) {
    return state.run(
        "setup",
        () ->
            Optional.ofNullable(state.subscribers.get(id))
                .map(subscriber -> subscriber.setup(sendWindowMs, state.nowMicros())));
  }

  @Override
  public Future<Page<SubscriberView>> subscribers(@Nullable String after, int limit) {
    return state.run(
        "subscribers",
        () ->
            MemoryState.page(
                List.copyOf(state.subscribers.values()),
                MemorySubscriber::sortKey,
                after,
                limit,
                subscriber -> subscriber.view(state.nowMs())));
  }

  @Override
  public Future<Boolean> deleteSubscriber(String id) {
    return change(
        "deleteSubscriber",
        id,
        subscriber -> {
          subscriber
              .open()
              .forEach(
                  delivery -> {
                    subscriber.quota.forgetProbe(delivery.claim, delivery.id);
                    subscriber.move(delivery, Place.PURGED, state.nowMs(), state.nowMs());
                  });
          state.forget(subscriber);
        });
  }

  @Override
  public Future<Integer> finishDeletes(int partition) {
    return Future.succeededFuture(0);
  }

  @Override
  public Future<Boolean> pause(String id, String reason) {
    return change("pause", id, subscriber -> subscriber.become(State.PAUSED, reason));
  }

  @Override
  public Future<Boolean> resume(String id) {
    return change("resume", id, subscriber -> subscriber.become(State.ACTIVE, null));
  }

  private Future<Boolean> change(String operation, String id, Consumer<MemorySubscriber> step) {
    return state.run(
        operation,
        () -> {
          MemorySubscriber subscriber = state.subscribers.get(id);
          if (subscriber != null) {
            step.accept(subscriber);
          }
          return subscriber != null;
        });
  }

  @Override
  public Future<PutQuota> putQuota(Quota quota) {
    return state.run("putQuota", () -> put(quota));
  }

  private PutQuota put(Quota quota) {
    MemoryQuota known = state.quotas.get(quota.id());
    if (known == null) {
      state.create(quota, true);
      return PutQuota.CREATED;
    }
    if (!known.shared) {
      return PutQuota.TAKEN_BY_SUBSCRIBER;
    }
    known.replace(quota, state.nowMicros());
    for (MemorySubscriber subscriber : state.subscribers.values()) {
      if (subscriber.quota == known) {
        subscriber.bump();
      }
    }
    return PutQuota.REPLACED;
  }

  @Override
  public Future<Optional<QuotaView>> quota(String id) {
    return state.run(
        "quota",
        () ->
            Optional.ofNullable(state.quotas.get(id))
                .filter(quota -> quota.shared)
                .map(this::view));
  }

  private QuotaView view(MemoryQuota quota) {
    return new QuotaView(
        quota.quota(),
        quota.gateInMs(state.nowMs()),
        quota.holders.stream().limit(SHOWN_HOLDERS).toList());
  }

  @Override
  public Future<Page<QuotaView>> quotas(@Nullable String after, int limit) {
    return state.run(
        "quotas",
        () ->
            MemoryState.page(
                state.quotas.values().stream().filter(quota -> quota.shared).toList(),
                quota -> Escaping.escape(quota.quota().id()),
                after,
                limit,
                this::view));
  }

  @Override
  public Future<DeleteQuota> deleteQuota(String id) {
    return state.run(
        "deleteQuota",
        () -> {
          MemoryQuota quota = state.quotas.get(id);
          if (quota == null || !quota.shared) {
            return DeleteQuota.UNKNOWN;
          }
          if (!quota.holders.isEmpty()) {
            return DeleteQuota.IN_USE;
          }
          state.retire(id);
          return DeleteQuota.DELETED;
        });
  }

  @Override
  public Future<Long> level(String quotaId, long sendWindowMs) {
    return state.run(
        "level",
        () -> {
          MemoryQuota quota = state.quotas.get(quotaId);
          return quota == null ? -1 : quota.level(sendWindowMs, state.nowMicros());
        });
  }

  @Override
  public Future<Boolean> openGate(String quotaId) {
    return state.run(
        "openGate",
        () -> {
          MemoryQuota quota = state.quotas.get(quotaId);
          if (quota != null) {
            quota.open();
          }
          return quota != null;
        });
  }
}
