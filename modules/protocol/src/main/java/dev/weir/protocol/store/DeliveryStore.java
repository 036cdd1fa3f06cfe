package dev.weir.protocol.store;

import dev.weir.domain.message.DeliveryId;
import dev.weir.domain.message.Envelope;
import dev.weir.domain.outcome.Outcome;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The life of deliveries, for the dispatcher, the retry and the home verticle. A partition is 0 to
 * {@link #partitions()} − 1 and holds whole quotas with all their subscribers.
 */
public interface DeliveryStore {

  int partitions();

  /**
   * Takes the next store epoch and announces it in every partition, so that claims of older
   * processes are refused from now on ({@code FENCED}). Called once at the start of a process,
   * before it claims.
   */
  Future<Long> beginEpoch();

  /**
   * Claims up to the asked number of deliveries for each of several subscribers of one partition,
   * in rank order. For each subscriber it first expires lapsed leases and promotes what is due (at
   * most 100 of each), then applies pause, gate, probe, ramp, in-flight cap and the GCRA backstop.
   *
   * @param maxBytes stop handing out bodies once their sum passes this; what is left shows as
   *     {@link Limit#BYTES}
   * @return one reply per request, in the order asked
   */
  Future<List<ClaimReply>> claim(
      int partition, ClaimId claim, List<ClaimRequest> requests, int maxBytes);

  /**
   * Records outcomes, each in one step with the removal from in flight: ledger, delayed retry, dead
   * letter or reconciliation, plus gate, breaker, probe and subscriber state. A stale failure
   * changes nothing; a stale success makes any non-final delivery delivered.
   */
  Future<List<SettleReply>> settle(int partition, List<Settlement> settlements);

  /**
   * Gives back claims whose request was never written: ready again at their old rank, the attempt
   * uncounted, the token refunded as far as that is safe. Claims that are not theirs are left
   * alone.
   */
  Future<Void> release(int partition, ClaimId claim, List<Claimed> unstarted);

  /**
   * Ends the claims of epochs older than {@code epoch}, at most {@code limit} of one partition:
   * ready again, or reconciling where the subscriber holds ambiguous ones. Uncounted as failure.
   *
   * @return how many; repeat until it is less than {@code limit}
   */
  Future<Integer> recover(int partition, long epoch, int limit);

  /** Subscribers of a partition for which something can be done now, and when the next will be. */
  Future<Sweep> sweep(int partition, int limit);

  /** Purges dead letters older than the retention, in bounded steps; returns how many. */
  Future<Integer> purgeDeadLetters(int partition, long olderThanMs, int limit);

  /**
   * @param subscriber who asks
   * @param count how many it can start, 1 or more
   */
  record ClaimRequest(String subscriber, int count) {}

  /**
   * @param deliveries claimed for it, in rank order; possibly none
   * @param limit why there are not more; {@link Limit#NONE} when all that were asked for were given
   * @param nextInMs when something may change by itself: gate opens, token due, retry due, lease
   *     ends; -1 when only a wake-up will tell
   * @param configVersion version of the subscriber's configuration and quota, for cache checks
   */
  record ClaimReply(
      String subscriber,
      List<Claimed> deliveries,
      Limit limit,
      long nextInMs,
      long configVersion) {}

  /** Why a claim gave fewer than asked. */
  enum Limit {
    NONE,
    /** Nothing more is ready; {@code nextInMs} is the next delayed one. */
    EMPTY,
    /** The gate is closed until {@code nextInMs}. */
    GATE,
    /** The gate is half open and its one probe is out. */
    PROBE,
    /** The gate has just opened: slower for a while. */
    RAMP,
    /** The backstop: the TAT says the quota is spent. */
    QUOTA,
    /** The in-flight cap, over all nodes. */
    IN_FLIGHT,
    PAUSED,
    /** No such subscriber in this partition: deleted, or moved. */
    UNKNOWN,
    /** The reply was large enough; ask again. */
    BYTES
  }

  /**
   * A delivery that this process may attempt, until {@code leaseMs} after it asked.
   *
   * @param sequence the message's number in its partition
   * @param attempt number of the attempt this claim is for, from 1
   * @param failures attempts before it that counted as failures
   * @param rateLimits 429s in a row before it
   * @param redrives how often it was redriven
   * @param eligibleAtMs epoch ms, by the store's clock, when it became eligible for this attempt
   * @param claimedAtMs epoch ms by the store's clock
   * @param firstClaimedAtMs epoch ms of its first claim since accepted or redriven
   * @param probe whether this attempt is the one that a half-open gate lets through
   */
  record Claimed(
      DeliveryId id,
      long sequence,
      ClaimId claim,
      int attempt,
      int failures,
      int rateLimits,
      int redrives,
      long eligibleAtMs,
      long claimedAtMs,
      long firstClaimedAtMs,
      boolean probe,
      Envelope envelope,
      Buffer body) {}

  /**
   * @param trace the attempt as one line of JSON, kept with the delivery; null keeps nothing
   * @param keepTrace whether a delivered delivery's trace is worth its memory (24 h)
   */
  record Settlement(
      DeliveryId id,
      long sequence,
      ClaimId claim,
      Outcome outcome,
      @Nullable String trace,
      boolean keepTrace) {}

  /**
   * @param gateInMs how long the quota's gate is closed from now; 0 when open
   */
  record SettleReply(Settled settled, long gateInMs) {}

  /** What a settlement did. */
  enum Settled {
    APPLIED,
    /** It had been recorded before; nothing changed. */
    ALREADY,
    /** Another claim holds the delivery and this outcome was no success; nothing changed. */
    SUPERSEDED,
    /** No such delivery: purged, or its subscriber deleted. */
    UNKNOWN
  }

  /**
   * @param due subscribers with something to do, the most overdue first
   * @param nextInMs until the next one beyond {@code due}; -1 when there is none
   */
  record Sweep(List<Due> due, long nextInMs) {}

  /**
   * @param overdueMs how long ago something became possible for it, 0 or more
   */
  record Due(String subscriber, long overdueMs) {}
}
