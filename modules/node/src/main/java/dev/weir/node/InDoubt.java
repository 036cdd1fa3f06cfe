package dev.weir.node;

import java.util.concurrent.atomic.AtomicIntegerArray;

/**
 * Partitions whose settlements are in doubt: sent, and no result known. Nothing is claimed there
 * meanwhile: a claim would expire the lease of a delivery whose success is still on its way to the
 * store, and send it again. Shared by all lanes.
 */
final class InDoubt {

  private final AtomicIntegerArray batches;

  InDoubt(int partitions) {
    this.batches = new AtomicIntegerArray(partitions);
  }

  void begin(int partition) {
    batches.incrementAndGet(partition);
  }

  void end(int partition) {
    batches.decrementAndGet(partition);
  }

  boolean is(int partition) {
    return batches.get(partition) > 0;
  }
}
