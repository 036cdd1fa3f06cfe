package dev.weir.node;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * What this node may hold at once, over all lanes: deliveries, and bytes of their bodies.
 *
 * <p>Shared near max-min without any lane knowing another's subscribers: a subscriber may hold at
 * most as much as is free (the dynamic threshold of shared-buffer switches). One alone gets half of
 * all there is. Of n greedy ones the first take more than their part, but nothing is taken anew by
 * whoever is above it: as their attempts end they come down to 1/(n+1) each, and as much stays free
 * for a newcomer.
 */
final class Budget {

  private final int maxAttempts;
  private final long maxBytes;
  private final AtomicInteger attempts = new AtomicInteger();
  private final AtomicLong bytes = new AtomicLong();

  Budget(int maxAttempts, long maxBytes) {
    this.maxAttempts = maxAttempts;
    this.maxBytes = maxBytes;
  }

  void take(int moreAttempts, long moreBytes) {
    attempts.addAndGet(moreAttempts);
    bytes.addAndGet(moreBytes);
  }

  void give(int fewerAttempts, long fewerBytes) {
    attempts.addAndGet(-fewerAttempts);
    bytes.addAndGet(-fewerBytes);
  }

  int freeAttempts() {
    return Math.max(0, maxAttempts - attempts.get());
  }

  long freeBytes() {
    return Math.max(0, maxBytes - bytes.get());
  }

  /**
   * How many of {@code wanted} a subscriber may take now.
   *
   * @param held by it already
   * @param freeAttempts of the node, what was granted to others in this round taken off
   * @param bodyBytes what one of its bodies weighs, by experience
   */
  static int grant(
      int wanted, int held, int freeAttempts, long heldBytes, long freeBytes, long bodyBytes) {
    // After the grant of g it holds held + g and free − g is free: g ≤ (free − held) / 2, up.
    long byCount = Math.floorDiv((long) freeAttempts - held + 1, 2);
    long byBytes = Math.floorDiv(freeBytes - heldBytes, 2 * Math.max(1, bodyBytes)) + 1;
    boolean room = freeAttempts > 0 && freeBytes > heldBytes;
    return room ? (int) Math.max(0, Math.min(wanted, Math.min(byCount, byBytes))) : 0;
  }
}
