package dev.weir.cli.output;

import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Instants of the API as people read them: in UTC, with their age. */
public final class Times {

  private static final DateTimeFormatter UTC =
      DateTimeFormatter.ofPattern("uuuu-MM-dd HH:mm:ss.SSS'Z'", Locale.ROOT)
          .withZone(ZoneOffset.UTC);

  private final InstantSource clock;

  public Times(InstantSource clock) {
    this.clock = clock;
  }

  /**
   * For instance {@code 2026-12-01 01:02:03.456Z (5min ago)}; what is no instant comes back as it
   * is, and null as {@code -}.
   */
  public String withAge(@Nullable String instant) {
    if (instant == null) {
      return Text.ABSENT;
    }
    try {
      Instant at = Instant.parse(instant);
      Duration age = Duration.between(at, clock.instant());
      String words = age.isNegative() ? "in " + words(age.negated()) : words(age) + " ago";
      return UTC.format(at) + " (" + words + ")";
    } catch (DateTimeException notAnInstant) {
      return instant;
    }
  }

  public static String absolute(@Nullable String instant) {
    if (instant == null) {
      return Text.ABSENT;
    }
    try {
      return UTC.format(Instant.parse(instant));
    } catch (DateTimeException notAnInstant) {
      return instant;
    }
  }

  /** {@code +12ms} from one instant to another; {@code -} when either is missing. */
  public static String offset(@Nullable String from, @Nullable String to) {
    if (from == null || to == null) {
      return Text.ABSENT;
    }
    try {
      long ms = Duration.between(Instant.parse(from), Instant.parse(to)).toMillis();
      return (ms < 0 ? "-" : "+") + millis(Math.abs(ms));
    } catch (DateTimeException notAnInstant) {
      return to;
    }
  }

  /** The two or three digits that matter: {@code 250ms}, {@code 12s}, {@code 5min}. */
  public static String words(Duration duration) {
    long seconds = duration.toSeconds();
    if (seconds < 1) {
      return duration.toMillis() + "ms";
    }
    if (seconds < 120) {
      return seconds + "s";
    }
    if (seconds < 2 * 3_600) {
      return seconds / 60 + "min";
    }
    return seconds < 2 * 86_400 ? seconds / 3_600 + "h" : seconds / 86_400 + "d";
  }

  /** Milliseconds exactly up to ten seconds, in {@link #words} beyond. */
  public static String millis(long ms) {
    return ms < 10_000 ? ms + "ms" : words(Duration.ofMillis(ms));
  }
}
