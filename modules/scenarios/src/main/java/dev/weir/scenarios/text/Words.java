package dev.weir.scenarios.text;

import java.util.Locale;

/** Numbers as people read them, the same in every locale. */
public final class Words {

  private Words() {}

  public static String count(long value) {
    return String.format(Locale.ROOT, "%,d", value);
  }

  /** A time span of ns in the unit that suits it. */
  public static String span(long ns) {
    double micros = ns / 1e3;
    if (Math.abs(micros) < 1_000) {
      return String.format(Locale.ROOT, "%.0f µs", micros);
    }
    return Math.abs(micros) < 1e6
        ? String.format(Locale.ROOT, "%.1f ms", micros / 1e3)
        : String.format(Locale.ROOT, "%.1f s", micros / 1e6);
  }

  public static String seconds(long ms) {
    return String.format(Locale.ROOT, "%.1f s", ms / 1e3);
  }

  /** {@code [#####.....]} of {@code width} cells. */
  public static String bar(double fraction, int width) {
    int full = (int) Math.round(Math.max(0, Math.min(1, fraction)) * width);
    return "[" + "#".repeat(full) + ".".repeat(width - full) + "]";
  }
}
