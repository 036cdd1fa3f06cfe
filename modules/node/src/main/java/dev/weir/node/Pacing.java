package dev.weir.node;

import dev.weir.domain.quota.Rate;
import dev.weir.domain.quota.TokenBucket;

/** How much a subscriber asks for and when it looks again: arithmetic on its bucket. */
final class Pacing {

  static final long NEVER = Long.MAX_VALUE;

  private static final long NANOS_PER_MICRO = 1_000;
  private static final long MOST_PATIENCE_NANOS = 1_000_000_000;

  private Pacing() {}

  /**
   * How many deliveries to ask for now.
   *
   * @param freeSlots of its in-flight cap
   * @param unstarted in hand, each of which will take a token
   */
  static int demand(
      TokenBucket bucket, int freeSlots, int unstarted, long horizonNanos, long nowNanos) {
    int due = bucket.tokensDueWithin(nowNanos, horizonNanos);
    return Math.max(0, Math.min(freeSlots, due - unstarted));
  }

  /**
   * When {@link #demand} will be above zero, given that it isn't and slots are free; {@link #NEVER}
   * when something else must happen first.
   */
  static long demandInNanos(TokenBucket bucket, int unstarted, long horizonNanos, long nowNanos) {
    if (bucket.tokensDueWithin(nowNanos, horizonNanos) > unstarted) {
      return 0;
    }
    if (bucket.capWholeTokens() <= unstarted) {
      return NEVER;
    }
    long next = bucket.nanosUntilNext(nowNanos);
    if (next == TokenBucket.NEVER) {
      return NEVER;
    }
    // Those in hand take the first ones. Looking a little too early costs one turn.
    long afterThose = unstarted == 0 ? next : Math.max(next, tokenNanos(bucket.rate()));
    return Math.max(0, afterThose - horizonNanos);
  }

  /**
   * How long a claim may take without being felt: the time between two tokens, at most a second.
   */
  static long patienceNanos(Rate rate) {
    return Math.min(MOST_PATIENCE_NANOS, tokenNanos(rate));
  }

  /** Time between two tokens; 0 when they don't come by themselves. */
  static long tokenNanos(Rate rate) {
    return rate.isUnlimited() || rate.isZero()
        ? 0
        : Math.multiplyHigh(rate.periodMicros(), NANOS_PER_MICRO) != 0
            ? NEVER
            : rate.periodMicros() * NANOS_PER_MICRO / rate.tokens();
  }
}
