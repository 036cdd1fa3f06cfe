package dev.weir.protocol.store;

import dev.weir.domain.message.DeliveryId;
import dev.weir.domain.message.Envelope;
import dev.weir.domain.message.MessageId;
import dev.weir.protocol.store.ConfigStore.Page;
import io.vertx.core.Future;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Looking at deliveries, and what a person may do with those that stopped. */
public interface InspectionStore {

  /** Deliveries of a message over all partitions, by subscriber; empty when it is unknown. */
  Future<List<DeliveryState>> message(MessageId message);

  Future<Optional<DeliveryView>> delivery(DeliveryId id);

  /**
   * Dead letters of one subscriber, or of all (null), oldest first within a subscriber.
   *
   * @param after cursor of the last page, null for the first
   */
  Future<Page<Stopped>> deadLetters(@Nullable String subscriber, @Nullable String after, int limit);

  Future<Page<Stopped>> reconciliation(
      @Nullable String subscriber, @Nullable String after, int limit);

  /** Back to ready with fresh budgets: a dead letter, or one that is reconciling. */
  Future<Change> redrive(DeliveryId id);

  /** Gives up a delivery for good: ready, scheduled, dead or reconciling. */
  Future<Change> cancel(DeliveryId id);

  /** Sets when a reconciling delivery is tried again. */
  Future<Change> reschedule(DeliveryId id, long atMs);

  /** Sums over all partitions, for metrics. */
  Future<Totals> totals();

  /**
   * Proves invariant 1 by recounting: walks every partition with cursors and never holds the store
   * for long.
   */
  Future<Balance> balance();

  record DeliveryState(DeliveryId id, State state, int attempts, long sinceMs) {}

  /** The words of the design, in the API's spelling. */
  enum State {
    SCHEDULED,
    READY,
    ATTEMPTING,
    RETRY_SCHEDULED,
    DONE,
    DEAD,
    RECONCILING,
    CANCELLED
  }

  /**
   * @param nextAtMs when it is or was eligible next; -1 when it is not waiting
   * @param reason why it is dead or reconciling, or its last failure
   * @param askedDelayMs of one that is reconciling: the wait that was asked for; -1 for none
   * @param attempts the kept attempts, oldest first, each one line of JSON that ends with {@code
   *     settledAt}
   * @param omitted attempts left out between the first 2 and the last 14
   * @param envelope null once the body is gone
   */
  record DeliveryView(
      DeliveryState delivery,
      long nextAtMs,
      @Nullable String reason,
      long askedDelayMs,
      int redrives,
      List<String> attempts,
      int omitted,
      @Nullable Envelope envelope) {}

  /**
   * @param sinceMs epoch ms when it stopped
   */
  record Stopped(
      DeliveryId id, int attempts, String reason, long sinceMs, long askedDelayMs, int redrives) {}

  enum Change {
    CHANGED,
    UNKNOWN,
    /** Delivered is final. */
    DELIVERED,
    /** Not in a state that allows it. */
    WRONG_STATE
  }

  /**
   * @param oldestReadyMs age of the oldest head of a ready line; -1 when all are empty
   * @param memoryUsed bytes the store uses, and {@code memoryMax} what it may (0: no limit)
   */
  record Totals(
      long accepted,
      long delivered,
      long cancelled,
      long purged,
      long ready,
      long delayed,
      long inFlight,
      long dead,
      long reconciling,
      long subscribers,
      long oldestReadyMs,
      long memoryUsed,
      long memoryMax) {}

  /**
   * The sides of {@code accepted = delivered + cancelled + purged + dead + reconciling + pending},
   * recounted.
   *
   * @param problems what does not add up, each naming the pair or key; at most 100
   * @param problemCount how many there are
   */
  record Balance(
      long accepted,
      long delivered,
      long cancelled,
      long purged,
      long dead,
      long reconciling,
      long pending,
      long bodies,
      List<String> problems,
      long problemCount) {

    public boolean holds() {
      return problemCount == 0;
    }
  }
}
