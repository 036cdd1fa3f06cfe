package dev.weir.protocol.store;

import dev.weir.domain.quota.Quota;
import dev.weir.domain.subscriber.Subscriber;
import io.vertx.core.Future;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Subscribers and quotas: their configuration and operating state. */
public interface ConfigStore {

  /**
   * Creates or replaces a subscriber.
   *
   * @param own its own quota (same id); null when it shares the one that {@code
   *     subscriber.quotaId()} names, which must exist
   */
  Future<PutSubscriber> putSubscriber(Subscriber subscriber, @Nullable Quota own);

  Future<Optional<SubscriberView>> subscriber(String id);

  /**
   * What a subscriber's verticle starts from, read in one step; empty when it doesn't exist.
   *
   * @param sendWindowMs of the level, see {@link #level}
   */
  Future<Optional<SubscriberSetup>> setup(String id, long sendWindowMs);

  /** By id, in byte order, beginning after {@code after} (null: from the first). */
  Future<Page<SubscriberView>> subscribers(@Nullable String after, int limit);

  /**
   * Deletes a subscriber and its backlog, which counts as purged; completes when nothing of it is
   * left. A crash on the way is finished by {@link #finishDeletes}.
   *
   * @return whether it existed
   */
  Future<Boolean> deleteSubscriber(String id);

  /** Goes on with deletes of a partition that were begun and not finished; returns how many. */
  Future<Integer> finishDeletes(int partition);

  /** Returns whether the subscriber exists. Pausing the paused replaces the reason. */
  Future<Boolean> pause(String id, String reason);

  /** Also enables a disabled one. Returns whether the subscriber exists. */
  Future<Boolean> resume(String id);

  /** Creates or replaces a shared quota. Tokens in hand are kept, clipped to the new burst. */
  Future<PutQuota> putQuota(Quota quota);

  Future<Optional<QuotaView>> quota(String id);

  Future<Page<QuotaView>> quotas(@Nullable String after, int limit);

  Future<DeleteQuota> deleteQuota(String id);

  /**
   * Micro-tokens that may be spent at once from a bucket without other evidence: by the TAT, less
   * what may still be sent on claims of the last {@code sendWindowMs}; 0 to burst. -1 when there is
   * no such quota.
   */
  Future<Long> level(String quotaId, long sendWindowMs);

  /** Opens a closed gate now. Returns whether the quota exists. */
  Future<Boolean> openGate(String quotaId);

  /**
   * @param version grows with every change of the subscriber, its state or its quota
   * @param partition where it lives
   * @param reason why it is paused or disabled; null when active
   * @param counts its backlog by state
   */
  record SubscriberView(
      Subscriber subscriber,
      Quota quota,
      long version,
      int partition,
      Subscriber.State state,
      @Nullable String reason,
      Counts counts) {}

  /**
   * @param version and {@code partition}, {@code state} as in {@link SubscriberView}
   * @param levelMicros of its quota, see {@link #level}
   */
  record SubscriberSetup(
      Subscriber subscriber,
      Quota quota,
      long version,
      int partition,
      Subscriber.State state,
      long levelMicros) {}

  /**
   * Sizes of sets, and counters that only grow.
   *
   * @param gateInMs how long its quota's gate stays closed; 0 when open
   * @param oldestReadyMs age of the head of its ready line; -1 when empty
   */
  record Counts(
      long ready,
      long delayed,
      long inFlight,
      long dead,
      long reconciling,
      long accepted,
      long delivered,
      long cancelled,
      long purged,
      long gateInMs,
      long oldestReadyMs) {

    public long pending() {
      return ready + delayed + inFlight;
    }
  }

  /**
   * @param holders ids of the subscribers that share it, at most 100
   */
  record QuotaView(Quota quota, long gateInMs, List<String> holders) {}

  /**
   * @param next pass as {@code after} for the next page; null when this is the last
   */
  record Page<T>(List<T> items, @Nullable String next) {}

  enum PutSubscriber {
    CREATED,
    REPLACED,
    /** The shared quota that it names does not exist. */
    NO_QUOTA,
    /** It exists and hangs on another quota; moving is not possible. */
    OTHER_QUOTA,
    /** A delete of the same id is still under way. */
    DELETING
  }

  enum PutQuota {
    CREATED,
    REPLACED,
    /** A subscriber has a quota of its own under this id. */
    TAKEN_BY_SUBSCRIBER
  }

  enum DeleteQuota {
    DELETED,
    UNKNOWN,
    /** Subscribers still share it. */
    IN_USE
  }
}
