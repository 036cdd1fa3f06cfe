package dev.weir.domain.outcome;

/**
 * What is known of a delivery when one of its attempts ends.
 *
 * @param failures attempts before this one that counted against {@code maxFailures}
 * @param rateLimits 429s in a row before this one
 * @param ageMs from its first attempt (since accepted or redriven) to now
 */
public record AttemptFacts(int failures, int rateLimits, long ageMs) {

  public static final AttemptFacts FIRST = new AttemptFacts(0, 0, 0);
}
