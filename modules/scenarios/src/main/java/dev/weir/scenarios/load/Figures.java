package dev.weir.scenarios.load;

import dev.weir.scenarios.text.TextTable;
import io.vertx.core.json.JsonObject;
import java.util.Arrays;
import java.util.Locale;

/** What a run has measured, in the order in which it is told. */
final class Figures {

  private final JsonObject values = new JsonObject();

  Figures put(String name, long value) {
    values.put(name, value);
    return this;
  }

  Figures put(String name, String value) {
    values.put(name, value);
    return this;
  }

  /** Rounded to three digits behind the point. */
  Figures put(String name, double value) {
    values.put(name, Math.round(value * 1_000) / 1_000.0);
    return this;
  }

  /** The usual percentiles of a sample. */
  Figures spread(String name, double[] sample) {
    if (sample.length == 0) {
      return put(name, "nothing was measured");
    }
    double[] sorted = sample.clone();
    Arrays.sort(sorted);
    put(name + ".p50", percentile(sorted, 0.50));
    put(name + ".p99", percentile(sorted, 0.99));
    return put(name + ".max", sorted[sorted.length - 1]);
  }

  /** How many times as high the 99th percentile of a sample is as that of another. */
  Figures p99Ratio(double[] of, double[] to) {
    double[] high = of.clone();
    double[] low = to.clone();
    Arrays.sort(high);
    Arrays.sort(low);
    return put("p99Ratio", percentile(high, 0.99) / percentile(low, 0.99));
  }

  static double percentile(double[] sorted, double share) {
    return sorted[Math.max(0, (int) Math.ceil(sorted.length * share) - 1)];
  }

  String table() {
    TextTable table = new TextTable("figure", ">value");
    values.forEach(
        entry ->
            table.row(
                entry.getKey(),
                entry.getValue() instanceof Double value
                    ? String.format(Locale.ROOT, "%.3f", value)
                    : String.valueOf(entry.getValue())));
    return table.render();
  }

  String json() {
    return values.encode();
  }
}
