package dev.weir.node;

import dev.weir.protocol.store.DeliveryStore.Sweep;

/**
 * When each partition is to be swept next, and how many subscribers a sweep may name. Pure; told
 * the monotonic time.
 *
 * <p>A sweep names the most overdue and has no cursor: those it named leave the head of the line
 * when their claims come. Where a whole page of them is still there at the next sweep, the page
 * grows, so that subscribers that can't move don't hide those behind them.
 */
final class SweepPlan {

  static final int PAGE = 256;
  static final int MAX_PAGE = 8_192;

  private static final long NANOS_PER_MILLI = 1_000_000;

  private final long graceNanos;
  private final long rereadNanos;
  private final long[] dueNanos;
  private final int[] page;

  /**
   * @param graceNanos after which those that were due are looked at again: time enough to act
   * @param rereadNanos after which a partition is swept whatever was said before
   */
  SweepPlan(int partitions, long graceNanos, long rereadNanos, long nowNanos) {
    this.graceNanos = graceNanos;
    this.rereadNanos = rereadNanos;
    this.dueNanos = new long[partitions];
    this.page = new int[partitions];
    for (int partition = 0; partition < partitions; partition++) {
      dueNanos[partition] = nowNanos;
      page[partition] = PAGE;
    }
  }

  boolean isDue(int partition, long nowNanos) {
    return dueNanos[partition] - nowNanos <= 0;
  }

  int page(int partition) {
    return page[partition];
  }

  /** Until the next partition is due; 0 or less when one is. */
  long nextInNanos(long nowNanos) {
    long next = Long.MAX_VALUE;
    for (long due : dueNanos) {
      next = Math.min(next, due - nowNanos);
    }
    return next;
  }

  /** A partition was swept. */
  void swept(int partition, Sweep sweep, long nowNanos) {
    boolean full = sweep.due().size() >= page[partition];
    page[partition] = full ? Math.min(MAX_PAGE, 2 * page[partition]) : PAGE;
    if (full || !sweep.due().isEmpty()) {
      dueNanos[partition] = nowNanos + graceNanos;
    } else if (sweep.nextInMs() >= 0) {
      dueNanos[partition] = nowNanos + Math.min(sweep.nextInMs() * NANOS_PER_MILLI, rereadNanos);
    } else {
      dueNanos[partition] = nowNanos + rereadNanos;
    }
  }

  /** The store did not answer. */
  void failed(int partition, long nowNanos) {
    dueNanos[partition] = nowNanos + rereadNanos;
  }
}
