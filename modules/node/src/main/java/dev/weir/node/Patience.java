package dev.weir.node;

import dev.weir.protocol.store.DeliveryStore.Limit;

/**
 * When a subscriber may ask for work and start it, by what the store last said, what its own
 * answers say, and the hints that came since. Pure but for its own fields; told the monotonic time.
 *
 * <p>A hint ends every wait at once but two: a closed gate and a pause are looked at again at most
 * once a second, so that a producer's publishes can't make a waiting subscriber ask in a loop.
 */
final class Patience {

  static final long NEVER = Long.MAX_VALUE;

  private static final long NANOS_PER_MILLI = 1_000_000;
  private static final long SECOND = 1_000 * NANOS_PER_MILLI;

  /** The store said a ramp or cap is in the way and not for how long. */
  private static final long UNTOLD_MS = 100;

  private Limit limit = Limit.NONE;
  private long askAtNanos;
  private boolean mustWait;
  private boolean waitsForEver;
  private long gateOpensNanos;
  private boolean gateClosed;
  private boolean stopped;
  private boolean toldHolding;
  private long lastLookNanos;
  private boolean looked;

  /**
   * The store answered a claim.
   *
   * @param hintedMeanwhile whether a hint came after it was asked: what it said of an empty line
   *     may be older than the hint
   * @param held deliveries in hand, after this reply
   */
  void onReply(Limit limit, long nextInMs, int held, boolean hintedMeanwhile, long nowNanos) {
    this.limit = limit;
    toldHolding = held > 0;
    switch (limit) {
      case NONE, BYTES -> askAt(nowNanos);
      case GATE -> closeGate(Math.max(0, nextInMs), nowNanos);
      case PAUSED, UNKNOWN -> stopped = true;
      case EMPTY -> {
        if (hintedMeanwhile) {
          askAt(nowNanos);
        } else {
          askIn(nextInMs, nowNanos);
        }
      }
      case RAMP -> askIn(nextInMs < 0 ? UNTOLD_MS : nextInMs, nowNanos);
      case IN_FLIGHT -> askIn(nextInMs < 0 && held == 0 ? UNTOLD_MS : nextInMs, nowNanos);
      case QUOTA, PROBE -> askIn(nextInMs, nowNanos);
    }
  }

  /** Something may be due. */
  void onHint(long nowNanos) {
    if (stopped || isGateClosed(nowNanos)) {
      if (looked && nowNanos - lastLookNanos < SECOND) {
        return;
      }
      looked = true;
      lastLookNanos = nowNanos;
    }
    stopped = false;
    gateClosed = false;
    askAt(nowNanos);
  }

  /** One of its attempts is settled: a slot, a probe, a step of the ramp is free. */
  void onSettled(long nowNanos) {
    if (limit == Limit.PROBE || limit == Limit.RAMP || limit == Limit.IN_FLIGHT) {
      askAt(nowNanos);
    }
  }

  /**
   * Nothing is in hand any more. What the store said of an empty line while something was may be no
   * more than when that would lapse; left at it, a subscriber with nothing to do would stay for the
   * whole of a lease. So it looks once more, after a while: work that comes first makes it
   * needless.
   */
  void onEmptyHanded(long lookInMs, long nowNanos) {
    if (limit == Limit.EMPTY && toldHolding && mustWait && !waitsForEver) {
      toldHolding = false;
      onRetryIn(lookInMs, nowNanos);
    }
  }

  /** A delivery of its own will be due then, whatever the store said before. */
  void onRetryIn(long delayMs, long nowNanos) {
    long atNanos = nowNanos + delayMs * NANOS_PER_MILLI;
    if (mustWait && (waitsForEver || askAtNanos - atNanos > 0)) {
      askAtNanos = atNanos;
      waitsForEver = false;
    }
  }

  /** Nothing starts until then; a gate is never shortened by a later answer. */
  void closeGate(long ms, long nowNanos) {
    if (ms <= 0) {
      return;
    }
    long opens = nowNanos + ms * NANOS_PER_MILLI;
    if (!isGateClosed(nowNanos) || opens - gateOpensNanos > 0) {
      gateOpensNanos = opens;
    }
    gateClosed = true;
  }

  /** Its configuration and state are known anew. */
  void onConfig(boolean active, long nowNanos) {
    stopped = !active;
    gateClosed = false;
    askAt(nowNanos);
  }

  /** An answer paused or disabled it. */
  void stop() {
    stopped = true;
  }

  boolean mayStart(long nowNanos) {
    return !stopped && !isGateClosed(nowNanos);
  }

  /** 0 when it may ask now, {@link #NEVER} when only a hint will tell. */
  long askInNanos(long nowNanos) {
    if (stopped || (mustWait && waitsForEver)) {
      return NEVER;
    }
    long wait = mustWait ? Math.max(0, askAtNanos - nowNanos) : 0;
    return isGateClosed(nowNanos) ? Math.max(wait, gateOpensNanos - nowNanos) : wait;
  }

  private boolean isGateClosed(long nowNanos) {
    return gateClosed && gateOpensNanos - nowNanos > 0;
  }

  private void askAt(long nowNanos) {
    mustWait = false;
    waitsForEver = false;
    askAtNanos = nowNanos;
  }

  private void askIn(long ms, long nowNanos) {
    mustWait = true;
    waitsForEver = ms < 0;
    askAtNanos = nowNanos + Math.max(1, ms) * NANOS_PER_MILLI;
  }
}
