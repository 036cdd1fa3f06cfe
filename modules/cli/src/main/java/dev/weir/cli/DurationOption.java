package dev.weir.cli;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Durations that the API takes in whole seconds. */
final class DurationOption {

  private static final Pattern FORM = Pattern.compile("(\\d{1,9})(s|min|h|d)");

  private DurationOption() {}

  static long seconds(String text, NodeOptions options) {
    Matcher form = FORM.matcher(text);
    if (!form.matches()) {
      throw options.usage(
          "'" + text + "' is not a whole number with a unit: s, min, h or d, such as 90s or 2h");
    }
    return Long.parseLong(form.group(1)) * unitSeconds(form.group(2));
  }

  private static long unitSeconds(String unit) {
    return switch (unit) {
      case "s" -> 1;
      case "min" -> 60;
      case "h" -> 3_600;
      default -> 86_400;
    };
  }
}
