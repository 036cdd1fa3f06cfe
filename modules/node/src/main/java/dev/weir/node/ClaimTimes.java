package dev.weir.node;

import java.util.Arrays;

/** How long claims take, to know how far ahead of its tokens a subscriber must ask. */
final class ClaimTimes {

  static final long MIN_HORIZON_NANOS = 2_000_000;
  static final long MAX_HORIZON_NANOS = 50_000_000;

  private static final int WINDOW = 128;

  /** Sorting the window for each claim would cost more than it tells. */
  private static final int EVERY = 16;

  private final long[] nanos = new long[WINDOW];
  private int count;
  private long horizonNanos = MIN_HORIZON_NANOS;

  void record(long tookNanos) {
    nanos[count % WINDOW] = tookNanos;
    count++;
    if (count % EVERY == 0 || count == 1) {
      horizonNanos = horizon(percentile99());
    }
  }

  long horizonNanos() {
    return horizonNanos;
  }

  static long horizon(long percentile99Nanos) {
    return Math.max(MIN_HORIZON_NANOS, Math.min(MAX_HORIZON_NANOS, 2 * percentile99Nanos));
  }

  private long percentile99() {
    int size = Math.min(count, WINDOW);
    long[] sorted = Arrays.copyOf(nanos, size);
    Arrays.sort(sorted);
    return sorted[(int) Math.ceil(size * 0.99) - 1];
  }
}
