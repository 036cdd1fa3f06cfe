package dev.weir.domain.quota;

/**
 * A rate as the integers that refilling needs: {@code gain / per} micro-tokens a nanosecond, in
 * lowest terms. {@code 0/1} for a rate of zero and for an unlimited one, which need no refilling.
 */
record Pace(long gain, long per) {

  /** Keeps 63·x below 2^63, which the bucket's long division relies on. */
  private static final long MAX_TERM = 1L << 57;

  private static final Pace NONE = new Pace(0, 1);

  /** A rate of n tokens every d µs is {@code 1000·n / d} micro-tokens a nanosecond. */
  static Pace of(Rate rate) {
    if (rate.isUnlimited() || rate.isZero()) {
      return NONE;
    }
    long divisor = gcd(1_000, rate.periodMicros());
    long per = rate.periodMicros() / divisor;
    long gain = Math.multiplyExact(rate.tokens(), 1_000 / divisor);
    if (gain >= MAX_TERM || per >= MAX_TERM) {
      throw new IllegalArgumentException("rate " + rate + " is too fine a fraction");
    }
    return new Pace(gain, per);
  }

  private static long gcd(long left, long right) {
    return right == 0 ? left : gcd(right, left % right);
  }
}
