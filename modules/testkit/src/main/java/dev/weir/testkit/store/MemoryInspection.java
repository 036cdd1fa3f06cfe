package dev.weir.testkit.store;

import dev.weir.domain.message.DeliveryId;
import dev.weir.domain.message.MessageId;
import dev.weir.protocol.store.ConfigStore.Page;
import dev.weir.protocol.store.InspectionStore;
import io.vertx.core.Future;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import java.util.function.BiConsumer;
import java.util.function.Predicate;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/** Looking, redriving, cancelling, recounting. */
final class MemoryInspection implements InspectionStore {

  private static final int SHOWN_PROBLEMS = 100;

  private final MemoryState state;

  MemoryInspection(MemoryState state) {
    this.state = state;
  }

  @Override
  public Future<List<DeliveryState>> message(MessageId message) {
    return state.run(
        "message",
        () ->
            state.subscribers.keySet().stream()
                .map(subscriber -> known(new DeliveryId(message, subscriber)))
                .filter(Objects::nonNull)
                .map(MemoryInspection::summary)
                .toList());
  }

  /** A delivery that was purged is gone, also for those who look. */
  private @Nullable MemoryDelivery known(DeliveryId id) {
    MemoryDelivery delivery = state.delivery(id);
    return delivery == null || delivery.place == Place.PURGED ? null : delivery;
  }

  private static DeliveryState summary(MemoryDelivery delivery) {
    return new DeliveryState(delivery.id, word(delivery), delivery.attempts, delivery.sinceMs);
  }

  private static State word(MemoryDelivery delivery) {
    return switch (delivery.place) {
      case READY -> State.READY;
      case DELAYED -> delivery.attempts == 0 ? State.SCHEDULED : State.RETRY_SCHEDULED;
      case IN_FLIGHT -> State.ATTEMPTING;
      case DEAD -> State.DEAD;
      case RECONCILING -> State.RECONCILING;
      case DONE -> State.DONE;
      case CANCELLED, PURGED -> State.CANCELLED;
    };
  }

  @Override
  public Future<Optional<DeliveryView>> delivery(DeliveryId id) {
    return state.run("delivery", () -> Optional.ofNullable(known(id)).map(MemoryInspection::view));
  }

  private static DeliveryView view(MemoryDelivery delivery) {
    boolean waits = delivery.place == Place.READY || delivery.place == Place.DELAYED;
    return new DeliveryView(
        summary(delivery),
        waits ? delivery.eligibleMs : -1,
        delivery.reason,
        delivery.askedDelayMs,
        delivery.redrives,
        delivery.traceLines(),
        delivery.omitted(),
        delivery.message.keptEnvelope());
  }

  @Override
  public Future<Page<Stopped>> deadLetters(
      @Nullable String subscriber, @Nullable String after, int limit) {
    return state.run("deadLetters", () -> stopped(Place.DEAD, subscriber, after, limit));
  }

  @Override
  public Future<Page<Stopped>> reconciliation(
      @Nullable String subscriber, @Nullable String after, int limit) {
    return state.run("reconciliation", () -> stopped(Place.RECONCILING, subscriber, after, limit));
  }

  private record Entry(MemoryDelivery delivery, String cursor) {}

  private Page<Stopped> stopped(
      Place place, @Nullable String subscriber, @Nullable String after, int limit) {
    List<Entry> entries = new ArrayList<>();
    for (MemorySubscriber holder : state.subscribers.values()) {
      if (subscriber == null || holder.id().equals(subscriber)) {
        holder.in(place).forEach(found -> entries.add(new Entry(found, cursor(holder, found))));
      }
    }
    entries.sort(Comparator.comparing(Entry::cursor));
    return MemoryState.page(entries, Entry::cursor, after, limit, entry -> stopped(entry.delivery));
  }

  private static String cursor(MemorySubscriber holder, MemoryDelivery delivery) {
    return String.format(
        Locale.ROOT, "%s/%016d/%016d", holder.sortKey(), delivery.score, delivery.sequence());
  }

  private static Stopped stopped(MemoryDelivery delivery) {
    return new Stopped(
        delivery.id,
        delivery.attempts,
        Objects.requireNonNullElse(delivery.reason, ""),
        delivery.sinceMs,
        delivery.askedDelayMs,
        delivery.redrives);
  }

  @Override
  public Future<Change> redrive(DeliveryId id) {
    return change(
        "redrive",
        id,
        place -> place == Place.DEAD || place == Place.RECONCILING,
        (subscriber, delivery) -> {
          delivery.freshBudgets();
          delivery.eligibleMs = state.nowMs();
          subscriber.move(delivery, Place.READY, delivery.rank(), state.nowMs());
        });
  }

  @Override
  public Future<Change> cancel(DeliveryId id) {
    return change(
        "cancel",
        id,
        Place::isWaiting,
        (subscriber, delivery) ->
            subscriber.move(delivery, Place.CANCELLED, state.nowMs(), state.nowMs()));
  }

  @Override
  public Future<Change> reschedule(DeliveryId id, long atMs) {
    return change(
        "reschedule",
        id,
        place -> place == Place.RECONCILING,
        (subscriber, delivery) -> {
          delivery.eligibleMs = atMs;
          delivery.reason = null;
          delivery.askedDelayMs = -1;
          subscriber.move(delivery, Place.DELAYED, atMs, state.nowMs());
        });
  }

  private Future<Change> change(
      String operation,
      DeliveryId id,
      Predicate<Place> allowed,
      BiConsumer<MemorySubscriber, MemoryDelivery> step) {
    return state.run(
        operation,
        () -> {
          MemorySubscriber subscriber = state.subscribers.get(id.subscriber());
          MemoryDelivery delivery = known(id);
          if (subscriber == null || delivery == null) {
            return Change.UNKNOWN;
          }
          if (delivery.place == Place.DONE) {
            return Change.DELIVERED;
          }
          if (!allowed.test(delivery.place)) {
            return Change.WRONG_STATE;
          }
          step.accept(subscriber, delivery);
          return Change.CHANGED;
        });
  }

  @Override
  public Future<Totals> totals() {
    return state.run(
        "totals",
        () -> {
          MemoryState.Gone gone = state.gone();
          return new Totals(
              gone.accepted() + sum(subscriber -> subscriber.accepted),
              gone.delivered() + sum(subscriber -> subscriber.delivered),
              gone.cancelled() + sum(subscriber -> subscriber.cancelled),
              gone.purged() + sum(subscriber -> subscriber.purged),
              size(Place.READY),
              size(Place.DELAYED),
              size(Place.IN_FLIGHT),
              size(Place.DEAD),
              size(Place.RECONCILING),
              state.subscribers.size(),
              oldestReadyMs(),
              0,
              0);
        });
  }

  private long sum(ToLongFunction<MemorySubscriber> of) {
    return state.subscribers.values().stream().mapToLong(of).sum();
  }

  private long size(Place place) {
    return sum(subscriber -> subscriber.in(place).size());
  }

  private long oldestReadyMs() {
    return state.subscribers.values().stream()
        .mapToLong(subscriber -> subscriber.view(state.nowMs()).counts().oldestReadyMs())
        .max()
        .orElse(-1);
  }

  @Override
  public Future<Balance> balance() {
    return state.run("balance", this::recount);
  }

  private Balance recount() {
    List<String> problems = new ArrayList<>();
    for (MemorySubscriber subscriber : state.subscribers.values()) {
      long held =
          subscriber.delivered
              + subscriber.cancelled
              + subscriber.purged
              + subscriber.open().size();
      if (held != subscriber.accepted) {
        problems.add(subscriber.id() + ": accepted " + subscriber.accepted + " but holds " + held);
      }
    }
    long bodies = 0;
    for (MemoryMessage message : state.messages()) {
      long open =
          message.deliveries.values().stream().filter(found -> !found.place.isFinal()).count();
      bodies += open > 0 ? 1 : 0;
      if (open != message.open()) {
        problems.add(message.id.key() + ": open " + message.open() + " but found " + open);
      }
    }
    return new Balance(
        sum(subscriber -> subscriber.accepted),
        sum(subscriber -> subscriber.delivered),
        sum(subscriber -> subscriber.cancelled),
        sum(subscriber -> subscriber.purged),
        size(Place.DEAD),
        size(Place.RECONCILING),
        size(Place.READY) + size(Place.DELAYED) + size(Place.IN_FLIGHT),
        bodies,
        problems.stream().limit(SHOWN_PROBLEMS).toList(),
        problems.size());
  }
}
