package dev.weir.receiver;

import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The durations of scripts: {@code 250ms}, {@code 15s}, {@code 5min}, {@code 1h}, {@code 7d}. */
final class Durations {

  static final String ALLOWED = "a duration such as 250ms, 15s, 5min, 1h or 7d";

  private static final Pattern FORM = Pattern.compile("(\\d{1,9})(ms|s|min|h|d)");
  private static final Map<String, Long> UNIT_MS =
      Map.of("ms", 1L, "s", 1_000L, "min", 60_000L, "h", 3_600_000L, "d", 86_400_000L);

  private Durations() {}

  static long parseMs(String text) {
    Matcher form = FORM.matcher(text);
    if (!form.matches()) {
      throw new IllegalArgumentException("'" + text + "' is not " + ALLOWED);
    }
    return Long.parseLong(form.group(1)) * UNIT_MS.getOrDefault(form.group(2), 1L);
  }
}
