package dev.weir.domain.quota;

/**
 * A token bucket in micro-tokens over a monotonic nanosecond clock that the caller reads. It
 * belongs to one thread, allocates nothing after construction, and has no clock of its own: pass
 * {@code System.nanoTime()}, once per decision.
 *
 * <p>Arithmetic. A rate of n tokens every d µs is {@code gain / per} micro-tokens a nanosecond with
 * {@code gain / per = 1000·n / d} in lowest terms. Each refill adds {@code ⌊(elapsed·gain +
 * remainder) / per⌋} and carries the new remainder, so that no polling pattern gains or loses
 * anything; only a full bucket drops what would not fit. Products that leave 63 bits are divided in
 * base 32 ({@link #multiplyDivide}), so the bucket is exact after years of idleness too. The stamp
 * advances also when the bucket is full (else idle time would be credited twice), and never moves
 * back.
 *
 * <p>A bucket with a deadline (a leased share) is worth nothing from that instant on: its tokens
 * are void and nothing accrues. {@link Rate#UNLIMITED} always has tokens before its deadline.
 */
public final class TokenBucket {

  /** One token. */
  public static final long TOKEN_MICROS = 1_000_000;

  /** Deadline of a bucket that lives as long as its holder. */
  public static final long NO_DEADLINE = Long.MAX_VALUE;

  /** Answer of {@link #nanosUntilNext} when no token will come by itself. */
  public static final long NEVER = Long.MAX_VALUE;

  /** Answer of {@link #wholeTokens} and {@link #tokensDueWithin} for an unlimited rate. */
  public static final int UNLIMITED_TOKENS = Integer.MAX_VALUE;

  private static final int DIGIT_BITS = 5;

  private Rate rate;
  private boolean unlimited;
  private long gain;
  private long per;
  private long capMicros;
  private long fillNanos;

  private long micros;
  private long remainder;
  private long stampNanos;
  private long deadlineNanos = NO_DEADLINE;

  /** Left over by the last {@link #multiplyDivide}: Java returns one value, and no garbage. */
  private long lastRemainder;

  /**
   * @param capWholeTokens most tokens it ever holds, 0 to {@value Quota#MAX_BURST}
   * @param initialMicros micro-tokens it begins with; clipped to 0 … cap
   * @param nowNanos monotonic
   */
  public TokenBucket(Rate rate, int capWholeTokens, long initialMicros, long nowNanos) {
    this.rate = rate;
    this.stampNanos = nowNanos;
    shape(rate, capWholeTokens);
    this.micros = clip(initialMicros);
  }

  /** Spends one token if there is one. */
  public boolean tryTake(long nowNanos) {
    refill(nowNanos);
    if (unlimited) {
      return !isExpired(nowNanos);
    }
    if (micros < TOKEN_MICROS) {
      return false;
    }
    micros -= TOKEN_MICROS;
    return true;
  }

  /** Tokens that could be spent now; {@link #UNLIMITED_TOKENS} for an unlimited rate. */
  public int wholeTokens(long nowNanos) {
    return tokensDueWithin(nowNanos, 0);
  }

  /**
   * Whole tokens that will exist at {@code nowNanos + horizonNanos} if none is spent: at most the
   * cap, and none that would come after the deadline.
   */
  public int tokensDueWithin(long nowNanos, long horizonNanos) {
    refill(nowNanos);
    if (isExpired(nowNanos)) {
      return 0;
    }
    if (unlimited) {
      return UNLIMITED_TOKENS;
    }
    return (int) (microsAfter(usableNanos(nowNanos, horizonNanos)) / TOKEN_MICROS);
  }

  /**
   * Time until a token can be spent: 0 when there is one, {@link #NEVER} when none comes by itself
   * (rate zero, cap zero, or the deadline is earlier).
   */
  public long nanosUntilNext(long nowNanos) {
    refill(nowNanos);
    if (isExpired(nowNanos)) {
      return NEVER;
    }
    if (unlimited || micros >= TOKEN_MICROS) {
      return 0;
    }
    if (gain == 0 || capMicros < TOKEN_MICROS) {
      return NEVER;
    }
    long nanos = nanosToGain(TOKEN_MICROS - micros);
    boolean inTime = deadlineNanos == NO_DEADLINE || nanos < deadlineNanos - nowNanos;
    return inTime ? nanos : NEVER;
  }

  /** Micro-tokens held now: what a holder reports when it renews or gives back. */
  public long micros(long nowNanos) {
    refill(nowNanos);
    return isExpired(nowNanos) ? 0 : micros;
  }

  /** Adds tokens that came from elsewhere; what exceeds the cap is lost. */
  public void add(long extraMicros, long nowNanos) {
    refill(nowNanos);
    micros = clip(saturatingAdd(micros, extraMicros));
  }

  /** Changes rate and cap from now on; tokens in hand stay, clipped to the new cap. */
  public void reshape(Rate newRate, int capWholeTokens, long nowNanos) {
    refill(nowNanos);
    if (!newRate.equals(rate)) {
      remainder = 0;
    }
    shape(newRate, capWholeTokens);
    micros = clip(micros);
  }

  /**
   * Takes over a share as granted: everything the bucket held before is replaced.
   *
   * @param tokensMicros held from now on; clipped to 0 … cap
   * @param deadlineNanos on the same clock; {@link #NO_DEADLINE} for none
   */
  public void set(
      Rate newRate, int capWholeTokens, long tokensMicros, long deadlineNanos, long nowNanos) {
    advance(nowNanos);
    this.deadlineNanos = deadlineNanos;
    this.remainder = 0;
    shape(newRate, capWholeTokens);
    this.micros = clip(tokensMicros);
  }

  /** Moves the deadline alone, as a renewal does; tokens that are void already stay void. */
  public void extend(long newDeadlineNanos, long nowNanos) {
    refill(nowNanos);
    deadlineNanos = newDeadlineNanos;
  }

  public Rate rate() {
    return rate;
  }

  public int capWholeTokens() {
    return (int) (capMicros / TOKEN_MICROS);
  }

  private void shape(Rate newRate, int capWholeTokens) {
    if (capWholeTokens < 0 || capWholeTokens > Quota.MAX_BURST) {
      throw new IllegalArgumentException(
          "cap must be 0 to " + Quota.MAX_BURST + " tokens, was " + capWholeTokens);
    }
    rate = newRate;
    unlimited = newRate.isUnlimited();
    capMicros = capWholeTokens * TOKEN_MICROS;
    Pace pace = Pace.of(newRate);
    gain = pace.gain();
    per = pace.per();
    fillNanos = gain == 0 ? Long.MAX_VALUE : timeToFill();
  }

  /** From empty, rounded up; saturates at 292 years. */
  private long timeToFill() {
    double estimate = (double) capMicros * per / gain;
    return estimate > 9e18 ? Long.MAX_VALUE : multiplyDivide(capMicros, per, gain) + 1;
  }

  private void refill(long nowNanos) {
    long elapsed = advance(nowNanos);
    if (isExpired(nowNanos)) {
      micros = 0;
      remainder = 0;
    } else if (gain != 0 && elapsed > 0) {
      gain(elapsed);
    }
  }

  private void gain(long elapsed) {
    if (micros >= capMicros || elapsed >= fillNanos) {
      micros = capMicros;
      remainder = 0;
      return;
    }
    micros += accrued(elapsed);
    remainder = lastRemainder;
    if (micros >= capMicros) {
      micros = capMicros;
      remainder = 0;
    }
  }

  /** Moves the stamp to now; returns how far, 0 when the clock didn't advance. */
  private long advance(long nowNanos) {
    long elapsed = nowNanos - stampNanos;
    if (elapsed <= 0) {
      return 0;
    }
    stampNanos = nowNanos;
    return elapsed;
  }

  private long microsAfter(long nanos) {
    if (gain == 0 || nanos <= 0) {
      return micros;
    }
    return nanos >= fillNanos ? capMicros : clip(micros + accrued(nanos));
  }

  private long usableNanos(long nowNanos, long horizonNanos) {
    return deadlineNanos == NO_DEADLINE
        ? horizonNanos
        : Math.min(horizonNanos, deadlineNanos - nowNanos);
  }

  private boolean isExpired(long nowNanos) {
    return deadlineNanos != NO_DEADLINE && nowNanos - deadlineNanos >= 0;
  }

  /** Micro-tokens that come in {@code nanos} (below {@link #fillNanos}), the carry included. */
  private long accrued(long nanos) {
    long high = Math.multiplyHigh(nanos, gain);
    long product = nanos * gain;
    if (high == 0 && product >= 0 && product + remainder >= 0) {
      long sum = product + remainder;
      long quotient = sum / per;
      lastRemainder = sum - quotient * per;
      return quotient;
    }
    long quotient = multiplyDivide(nanos, gain, per);
    long rest = lastRemainder + remainder;
    lastRemainder = rest >= per ? rest - per : rest;
    return rest >= per ? quotient + 1 : quotient;
  }

  /** The smallest wait after which {@code needed} more micro-tokens are there. */
  private long nanosToGain(long needed) {
    // ⌈(needed·per − remainder) / gain⌉
    long quotient = multiplyDivide(needed, per, gain);
    long rest = lastRemainder - remainder;
    return quotient + Math.floorDiv(rest, gain) + (Math.floorMod(rest, gain) > 0 ? 1 : 0);
  }

  /**
   * {@code ⌊x · numerator / denominator⌋} without overflow in between, for terms below 2^57 and a
   * quotient that fits; leaves the remainder in {@link #lastRemainder}. Schoolbook long division,
   * five bits of x at a time.
   */
  private long multiplyDivide(long x, long numerator, long denominator) {
    long whole = numerator / denominator;
    long fraction = numerator - whole * denominator;
    long quotient = 0;
    long rest = 0;
    int bits = (Long.SIZE - Long.numberOfLeadingZeros(x) + DIGIT_BITS - 1) / DIGIT_BITS;
    for (int shift = (bits - 1) * DIGIT_BITS; shift >= 0; shift -= DIGIT_BITS) {
      long digit = (x >>> shift) & ((1 << DIGIT_BITS) - 1);
      long sum = (rest << DIGIT_BITS) + digit * fraction;
      long step = sum / denominator;
      quotient = (quotient << DIGIT_BITS) + step;
      rest = sum - step * denominator;
    }
    lastRemainder = rest;
    return quotient + x * whole;
  }

  private long clip(long value) {
    return Math.max(0, Math.min(capMicros, value));
  }

  private static long saturatingAdd(long left, long right) {
    long sum = left + right;
    return ((left ^ sum) & (right ^ sum)) < 0 ? (right < 0 ? Long.MIN_VALUE : Long.MAX_VALUE) : sum;
  }
}
