package dev.weir.node;

import java.time.Instant;

/**
 * Wall time that runs with the monotonic clock: an instant read once, plus what has passed since.
 * Stamps of one process keep the order and the distances of the decisions they belong to, whatever
 * the system clock does meanwhile.
 */
record WallClock(long anchorEpochNanos, long anchorNanos) {

  private static final long NANOS_PER_SECOND = 1_000_000_000;

  static WallClock now() {
    Instant now = Instant.now();
    return new WallClock(
        now.getEpochSecond() * NANOS_PER_SECOND + now.getNano(), System.nanoTime());
  }

  long epochNanos(long nanoTime) {
    return anchorEpochNanos + (nanoTime - anchorNanos);
  }
}
