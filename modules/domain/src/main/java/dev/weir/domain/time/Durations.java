package dev.weir.domain.time;

import java.time.Duration;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Durations as configuration and API write them: a whole number and ms, s, min, h or d. */
public final class Durations {

  /** Ten digits of days still fit a long of ms. */
  private static final Pattern FORM = Pattern.compile("(\\d{1,10})(ms|s|min|h|d)");

  private Durations() {}

  /**
   * Reads {@code "250ms"}, {@code "15s"}, {@code "5min"}, {@code "1h"} or {@code "7d"}.
   *
   * @throws IllegalArgumentException saying what is allowed
   */
  public static Duration parse(String text) {
    Matcher form = FORM.matcher(text);
    if (!form.matches()) {
      throw new IllegalArgumentException(
          "'"
              + text
              + "' is no duration: write a whole number and a unit of ms, s, min, h or d, such as"
              + " 250ms, 15s, 5min, 1h or 7d");
    }
    return Duration.ofMillis(Long.parseLong(form.group(1)) * millisOf(form.group(2)));
  }

  /**
   * Writes the form {@link #parse} reads, in the largest unit that stays whole; ms at the least.
   */
  public static String format(Duration duration) {
    long ms = duration.toMillis();
    if (ms < 0) {
      throw new IllegalArgumentException("a duration can't be negative: " + duration);
    }
    for (String unit : new String[] {"d", "h", "min", "s"}) {
      if (ms != 0 && ms % millisOf(unit) == 0) {
        return ms / millisOf(unit) + unit;
      }
    }
    return ms + "ms";
  }

  private static long millisOf(String unit) {
    return switch (unit) {
      case "ms" -> 1;
      case "s" -> 1_000;
      case "min" -> 60_000;
      case "h" -> 3_600_000;
      case "d" -> 86_400_000;
      default -> throw new IllegalStateException(unit);
    };
  }
}
