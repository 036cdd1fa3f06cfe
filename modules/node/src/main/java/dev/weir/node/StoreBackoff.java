package dev.weir.node;

import java.util.concurrent.ThreadLocalRandom;

/**
 * How long to wait before the store is asked again: 10 ms doubling to 250 ms, with jitter. Without
 * a connection asking costs nothing, and the connection itself may take a second to be found again:
 * both together are to stay well below the 2 s within which deliveries resume.
 */
final class StoreBackoff {

  static final long FIRST_MS = 10;
  static final long MAX_MS = 250;

  private static final int MAX_SHIFT = 5;

  private int failures;

  long next() {
    failures++;
    return delayMs(failures, ThreadLocalRandom.current().nextDouble());
  }

  void reset() {
    failures = 0;
  }

  boolean isFailing() {
    return failures > 0;
  }

  /** Half fixed, half random, so that it neither spins nor marches in step. */
  static long delayMs(int failures, double jitter) {
    long full = Math.min(MAX_MS, FIRST_MS << Math.min(MAX_SHIFT, Math.max(0, failures - 1)));
    return Math.max(1, full / 2 + (long) (jitter * full / 2));
  }
}
