package dev.weir.testkit.store;

import dev.weir.domain.message.DeliveryId;
import dev.weir.domain.time.Instants;
import dev.weir.protocol.store.ClaimId;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** One delivery. Moves only through {@link MemorySubscriber#move}, which keeps the sets in step. */
final class MemoryDelivery {

  private static final int KEPT_FIRST = 2;
  private static final int KEPT_IN_ALL = 16;

  final DeliveryId id;
  final MemoryMessage message;

  Place place = Place.PURGED;

  /** Order within its set: rank, due time, lease end or since, by place. */
  long score;

  long eligibleMs;
  long sinceMs;
  int attempts;
  int failures;
  int rateLimits;
  int redrives;
  @Nullable ClaimId claim;
  @Nullable ClaimId settledClaim;
  long claimedMs;
  long firstClaimedMs = -1;
  @Nullable String reason;
  long askedDelayMs = -1;

  private final List<String> trace = new ArrayList<>();
  private int omitted;

  MemoryDelivery(DeliveryId id, MemoryMessage message) {
    this.id = id;
    this.message = message;
  }

  long sequence() {
    return message.sequence;
  }

  /** Earliest deadline first, yet nobody starves: after an hour in line age decides. */
  long rank() {
    return Math.min(message.deliverByMs(), eligibleMs + 3_600_000);
  }

  /** Keeps the first 2 and the last 14 lines, each with the time it was settled. */
  void trace(@Nullable String line, long settledMs) {
    if (line == null) {
      return;
    }
    if (trace.size() == KEPT_IN_ALL) {
      trace.remove(KEPT_FIRST);
      omitted++;
    }
    int end = line.lastIndexOf('}');
    String separator = line.substring(0, Math.max(0, end)).trim().equals("{") ? "" : ",";
    trace.add(
        end < 0
            ? line
            : line.substring(0, end)
                + separator
                + "\"settledAt\":\""
                + Instants.format(settledMs)
                + "\"}");
  }

  void dropTrace() {
    trace.clear();
    omitted = 0;
  }

  List<String> traceLines() {
    return List.copyOf(trace);
  }

  int omitted() {
    return omitted;
  }

  void freshBudgets() {
    failures = 0;
    rateLimits = 0;
    firstClaimedMs = -1;
    redrives++;
    reason = null;
    askedDelayMs = -1;
  }
}
