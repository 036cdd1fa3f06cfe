package dev.weir.receiver;

import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** HTTP dates (RFC 9110 §5.6.7), which have whole seconds only. */
public final class HttpDates {

  private static final DateTimeFormatter IMF_FIXDATE =
      DateTimeFormatter.ofPattern("EEE, dd MMM yyyy HH:mm:ss 'GMT'", Locale.US)
          .withZone(ZoneOffset.UTC);
  private static final Pattern PLACEHOLDER =
      Pattern.compile("\\{date(?:([+-])(\\d{1,9}(?:ms|s|min|h|d)))?}");

  private HttpDates() {}

  public static String format(Instant instant) {
    return IMF_FIXDATE.format(instant);
  }

  /** Replaces {@code {date}}, {@code {date+17s}} and {@code {date-1min}}. */
  static String fill(String value, Instant now) {
    if (value.indexOf('{') < 0) {
      return value;
    }
    Matcher found = PLACEHOLDER.matcher(value);
    return found.replaceAll(
        match -> format(now.plusMillis(offsetMs(match.group(1), match.group(2)))));
  }

  private static long offsetMs(@Nullable String sign, @Nullable String duration) {
    if (duration == null) {
      return 0;
    }
    return "-".equals(sign) ? -Durations.parseMs(duration) : Durations.parseMs(duration);
  }
}
