package dev.weir.domain.outcome;

import java.time.Duration;

/**
 * How failures of one subscriber are repeated: exponential backoff with full jitter above a floor.
 *
 * @param base delay before the first repeat, at most; then {@code base · factor^n}
 * @param factor growth per failure, 1.0 to 10.0
 * @param cap largest delay that backoff alone chooses
 * @param floor smallest delay
 * @param maxFailures failures (not 429s) before the delivery is dead, 1 to 100
 */
public record RetryPolicy(
    Duration base, double factor, Duration cap, Duration floor, int maxFailures) {

  /**
   * No retry falls later than this after now, nor keeps a delivery alive longer than this. Stands
   * before {@link #DEFAULT}, whose constructor reads it.
   */
  public static final Duration BOUNDARY = Duration.ofDays(7);

  public static final RetryPolicy DEFAULT =
      new RetryPolicy(Duration.ofSeconds(1), 2.0, Duration.ofHours(1), Duration.ofMillis(100), 16);

  public RetryPolicy {
    requireBetween("retry.base", base, Duration.ofMillis(1), BOUNDARY);
    requireBetween("retry.cap", cap, base, BOUNDARY);
    requireBetween("retry.floor", floor, Duration.ZERO, cap);
    if (!(factor >= 1.0 && factor <= 10.0)) {
      throw new IllegalArgumentException("retry.factor must be 1 to 10, was " + factor);
    }
    if (maxFailures < 1 || maxFailures > 100) {
      throw new IllegalArgumentException("retry.maxFailures must be 1 to 100, was " + maxFailures);
    }
  }

  private static void requireBetween(String field, Duration value, Duration low, Duration high) {
    if (value.compareTo(low) < 0 || value.compareTo(high) > 0) {
      throw new IllegalArgumentException(
          field + " must be " + low + " to " + high + ", was " + value);
    }
  }
}
