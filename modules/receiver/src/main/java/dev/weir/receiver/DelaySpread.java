package dev.weir.receiver;

import java.util.Arrays;

/** How long requests were on their way: from their sent-at stamp to their arrival, in ns. */
public record DelaySpread(int count, long minNs, long medianNs, long p99Ns, long maxNs) {

  public static final DelaySpread NONE = new DelaySpread(0, 0, 0, 0, 0);

  public static DelaySpread of(long[] delaysNs) {
    if (delaysNs.length == 0) {
      return NONE;
    }
    long[] sorted = delaysNs.clone();
    Arrays.sort(sorted);
    return new DelaySpread(
        sorted.length,
        sorted[0],
        sorted[rank(sorted.length, 0.5)],
        sorted[rank(sorted.length, 0.99)],
        sorted[sorted.length - 1]);
  }

  private static int rank(int count, double quantile) {
    return Math.max(0, (int) Math.ceil(quantile * count) - 1);
  }
}
