package dev.weir.domain.outcome;

/**
 * Exponential backoff with full jitter above a floor: {@code floor + jitter · (min(cap, base ·
 * factor^n) − floor)}.
 */
public final class Backoff {

  private Backoff() {}

  /**
   * @param failures failures so far, not counting the one just made; 0 or more
   * @param jitter uniform in [0, 1)
   * @return ms, {@code policy.floor()} to {@code policy.cap()}
   */
  public static long delayMs(RetryPolicy policy, int failures, double jitter) {
    long floor = policy.floor().toMillis();
    // A double saturates at infinity where a long would wrap; min() then brings it back.
    double grown = policy.base().toMillis() * Math.pow(policy.factor(), Math.max(0, failures));
    double ceiling = Math.min(policy.cap().toMillis(), grown);
    return floor + (long) (jitter * Math.max(0, ceiling - floor));
  }
}
