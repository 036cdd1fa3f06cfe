package dev.weir.node;

import dev.weir.domain.quota.Rate;
import dev.weir.node.Endpoint.Arrival;
import java.util.List;

/** The envelope check over all windows at once. */
final class Envelopes {

  private Envelopes() {}

  /**
   * How many requests too many were started in the worst window: {@code max over windows of (count
   * − rate · w) − burst}; 0 or less means the quota was kept.
   */
  static double excess(List<Arrival> arrivals, Rate rate, int burst) {
    long[] sent = arrivals.stream().mapToLong(Arrival::sentAtNanos).sorted().toArray();
    double perNano = rate.perSecond() / 1e9;
    double worst = Double.NEGATIVE_INFINITY;
    double least = Double.POSITIVE_INFINITY;
    for (int i = 0; i < sent.length; i++) {
      double x = i - perNano * (sent[i] - sent[0]);
      least = Math.min(least, x);
      worst = Math.max(worst, x - least);
    }
    // Floating point: a millionth of a request is nobody's burst.
    return worst + 1 - burst - 1e-6;
  }

  /** From the first to the last stamp. */
  static double seconds(List<Arrival> arrivals) {
    long first = arrivals.stream().mapToLong(Arrival::sentAtNanos).min().orElse(0);
    long last = arrivals.stream().mapToLong(Arrival::sentAtNanos).max().orElse(0);
    return (last - first) / 1e9;
  }
}
