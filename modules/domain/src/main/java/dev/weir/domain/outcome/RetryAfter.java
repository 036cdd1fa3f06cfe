package dev.weir.domain.outcome;

import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * What a {@code Retry-After} header (RFC 9110 §10.2.3) asks for: whole seconds, or one of the three
 * HTTP-date forms. A date is measured against the response's own {@code Date} where that is valid
 * and within a day of our clock, so that a server whose clock is off still gets the wait it meant.
 */
public sealed interface RetryAfter {

  /**
   * Longest wait that is told apart: longer ones, up to any number of digits, read as this. It is
   * the largest integer that every JSON and Lua reader keeps exact (285,000 years in ms).
   */
  long MAX_WAIT_MS = 9_007_199_254_740_991L;

  /** How far a response's Date may be from our clock and still be believed. */
  long MAX_DATE_SKEW_MS = 86_400_000;

  /** No such header. */
  record Absent() implements RetryAfter {}

  /**
   * @param ms 0 (a date that has passed) to {@link #MAX_WAIT_MS}
   */
  record Wait(long ms) implements RetryAfter {}

  /** A value that is neither whole seconds nor a date: treated as absent, and worth counting. */
  record Ignored(String value) implements RetryAfter {}

  /**
   * @param header the value as received, null when absent
   * @param dateHeader the response's {@code Date}, null when absent
   */
  static RetryAfter parse(@Nullable String header, @Nullable String dateHeader, long nowEpochMs) {
    if (header == null) {
      return new Absent();
    }
    String value = trimBlanks(header);
    if (isDigits(value)) {
      return new Wait(secondsToMs(value));
    }
    OptionalLong at = HttpDate.parse(value, nowEpochMs);
    if (at.isEmpty()) {
      return new Ignored(header);
    }
    return new Wait(Math.max(0, at.getAsLong() - reference(dateHeader, nowEpochMs)));
  }

  /** The wait asked for, empty when absent or ignored. */
  default OptionalLong waitMs() {
    return this instanceof Wait wait ? OptionalLong.of(wait.ms()) : OptionalLong.empty();
  }

  private static long reference(@Nullable String dateHeader, long nowEpochMs) {
    if (dateHeader == null) {
      return nowEpochMs;
    }
    long date = HttpDate.parse(trimBlanks(dateHeader), nowEpochMs).orElse(nowEpochMs);
    return Math.abs(date - nowEpochMs) <= MAX_DATE_SKEW_MS ? date : nowEpochMs;
  }

  private static long secondsToMs(String digits) {
    long limit = MAX_WAIT_MS / 1000;
    long seconds = 0;
    for (int i = 0; i < digits.length(); i++) {
      seconds = seconds * 10 + (digits.charAt(i) - '0');
      if (seconds > limit) {
        return MAX_WAIT_MS;
      }
    }
    return seconds * 1000;
  }

  private static boolean isDigits(String value) {
    return !value.isEmpty() && value.chars().allMatch(c -> c >= '0' && c <= '9');
  }

  /** Optional whitespace of a field value is blanks and tabs alone (RFC 9110 §5.6.3). */
  private static String trimBlanks(String value) {
    int start = 0;
    int end = value.length();
    while (start < end && isBlank(value.charAt(start))) {
      start++;
    }
    while (end > start && isBlank(value.charAt(end - 1))) {
      end--;
    }
    return value.substring(start, end);
  }

  private static boolean isBlank(char c) {
    return c == ' ' || c == '\t';
  }
}
