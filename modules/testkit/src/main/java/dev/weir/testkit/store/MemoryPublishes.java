package dev.weir.testkit.store;

import dev.weir.domain.message.DeliveryId;
import dev.weir.domain.message.Envelope;
import dev.weir.domain.message.MessageId;
import dev.weir.protocol.store.PublishStore;
import io.vertx.core.Future;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** Publishing: all of it in one step here, but for what a test leaves unfinished on purpose. */
final class MemoryPublishes implements PublishStore {

  private final MemoryState state;
  private final Map<String, Key> keys = new HashMap<>();
  private final Map<String, Intent> intents = new LinkedHashMap<>();

  MemoryPublishes(MemoryState state) {
    this.state = state;
  }

  private record Key(String requestHash, MessageId message, boolean answered, long boundMs) {}

  private record Intent(Publication publication, int partition, long begunMs, boolean done) {}

  @Override
  public Future<Binding> bind(String idempotencyKey, String requestHash, MessageId proposed) {
    return state.run("bind", () -> bindNow(idempotencyKey, requestHash, proposed));
  }

  private Binding bindNow(String idempotencyKey, String requestHash, MessageId proposed) {
    Key key = keys.get(idempotencyKey);
    if (key == null || state.nowMs() - key.boundMs >= MemoryState.LEDGER_MS) {
      keys.put(idempotencyKey, new Key(requestHash, proposed, false, state.nowMs()));
      return new Binding.Bound(proposed);
    }
    if (!key.requestHash.equals(requestHash)) {
      return new Binding.OtherRequest();
    }
    return key.answered ? new Binding.Answered(key.message) : new Binding.Bound(key.message);
  }

  @Override
  public Future<Void> answered(String idempotencyKey, String requestHash) {
    return state.run(
        "answered",
        () -> {
          Key key = keys.get(idempotencyKey);
          if (key != null && key.requestHash.equals(requestHash)) {
            keys.put(idempotencyKey, new Key(requestHash, key.message, true, key.boundMs));
          }
          return null;
        });
  }

  @Override
  public Future<Published> publish(Publication publication) {
    return state.run(
        "publish",
        () -> {
          List<String> unknown = where(publication, this::isUnknown);
          if (!unknown.isEmpty()) {
            return new Published.UnknownSubscribers(unknown);
          }
          List<String> conflicts = where(publication, target -> conflicts(publication, target));
          return conflicts.isEmpty() ? deliver(publication) : new Published.Conflict(conflicts);
        });
  }

  private static List<String> where(Publication publication, Predicate<String> which) {
    return publication.targets().stream().filter(which).toList();
  }

  private boolean isUnknown(String target) {
    return !state.subscribers.containsKey(target);
  }

  private boolean conflicts(Publication publication, String target) {
    MemorySubscriber subscriber = state.subscribers.get(target);
    MemoryMessage message =
        subscriber == null ? null : state.message(subscriber.partition, publication.message());
    return message != null && !message.fingerprint.equals(publication.body());
  }

  private Published deliver(Publication publication) {
    List<DeliveryId> accepted = new ArrayList<>();
    List<String> created = new ArrayList<>();
    for (String target : publication.targets()) {
      MemorySubscriber subscriber = state.subscribers.get(target);
      if (subscriber == null) {
        continue;
      }
      DeliveryId id = new DeliveryId(publication.message(), target);
      accepted.add(id);
      if (admit(publication, subscriber, id)) {
        created.add(target);
      }
    }
    return new Published.Accepted(accepted, created);
  }

  /** Returns whether this made a delivery that is due now. */
  private boolean admit(Publication publication, MemorySubscriber subscriber, DeliveryId id) {
    MemoryMessage message = message(publication, subscriber.partition);
    if (message.deliveries.containsKey(id.subscriber())) {
      return false;
    }
    MemoryDelivery delivery = new MemoryDelivery(id, message);
    message.deliveries.put(id.subscriber(), delivery);
    long nowMs = state.nowMs();
    long dueMs =
        publication.deliverAtMs() == Envelope.NONE
            ? nowMs + publication.delayMs()
            : publication.deliverAtMs();
    delivery.eligibleMs = Math.max(dueMs, nowMs);
    if (dueMs > nowMs) {
      subscriber.admit(delivery, Place.DELAYED, dueMs, nowMs);
      return false;
    }
    subscriber.admit(delivery, Place.READY, delivery.rank(), nowMs);
    return true;
  }

  private MemoryMessage message(Publication publication, int partition) {
    @Nullable MemoryMessage known = state.message(partition, publication.message());
    if (known != null) {
      return known;
    }
    return state.store(
        partition,
        publication.message(),
        sequence ->
            new MemoryMessage(
                publication.message(),
                partition,
                sequence,
                state.nowMs(),
                publication.envelope(),
                publication.body()));
  }

  /** Leaves a publish as a crash right after its intent would: durable, nothing delivered yet. */
  void begin(Publication publication) {
    MemorySubscriber first = state.subscribers.get(publication.targets().get(0));
    if (first == null) {
      throw new IllegalArgumentException("unknown subscriber " + publication.targets().get(0));
    }
    intents.put(
        publication.message().key(),
        new Intent(publication, first.partition, state.nowMs(), false));
  }

  @Override
  public Future<List<OpenIntent>> openIntents(int partition, long olderThanMs, int limit) {
    return state.run(
        "openIntents",
        () ->
            intents.entrySet().stream()
                .filter(entry -> !entry.getValue().done)
                .filter(entry -> entry.getValue().partition == partition)
                .filter(entry -> state.nowMs() - entry.getValue().begunMs >= olderThanMs)
                .limit(limit)
                .map(entry -> new OpenIntent(partition, entry.getKey()))
                .toList());
  }

  @Override
  public Future<Published> resume(OpenIntent open) {
    return state.run(
        "resume",
        () -> {
          Intent intent = intents.get(open.intent());
          if (intent == null) {
            return new Published.Accepted(List.of(), List.of());
          }
          intents.put(
              open.intent(),
              new Intent(intent.publication, intent.partition, intent.begunMs, true));
          return deliver(intent.publication);
        });
  }
}
