package dev.weir.node;

import dev.weir.protocol.bus.DispatcherProtocol.Demand;
import dev.weir.protocol.store.DeliveryStore.ClaimRequest;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToLongFunction;

/** Demand of one partition that waits for the next claim, earliest deadline first. */
final class DemandQueue {

  /** Keep one script short: Redis serves nobody else meanwhile. */
  static final int MAX_SUBSCRIBERS = 16;

  static final int MAX_DELIVERIES = 256;

  private final Map<String, Demand> waiting = new HashMap<>();

  void add(Demand demand) {
    waiting.put(demand.subscriber(), demand);
  }

  void drop(String subscriber) {
    waiting.remove(subscriber);
  }

  void clear() {
    waiting.clear();
  }

  boolean isEmpty() {
    return waiting.isEmpty();
  }

  /** The earliest by which one of them would like to be served; there must be one. */
  long deadlineNanos() {
    return byDeadline().get(0).deadlineNanos();
  }

  private List<Demand> byDeadline() {
    List<Demand> demands = new ArrayList<>(waiting.values());
    demands.sort((a, b) -> Long.signum(a.deadlineNanos() - b.deadlineNanos()));
    return demands;
  }

  /**
   * Takes out what the next claim asks for; what the budget leaves no room for stays.
   *
   * @param maxSubscribers in this claim, at most {@value #MAX_SUBSCRIBERS}
   * @param bodyBytes what one body of a subscriber weighs
   */
  List<ClaimRequest> take(
      int maxSubscribers, int freeAttempts, long freeBytes, ToLongFunction<String> bodyBytes) {
    List<ClaimRequest> requests = new ArrayList<>();
    int freeCount = freeAttempts;
    int roomInClaim = MAX_DELIVERIES;
    for (Demand demand : byDeadline()) {
      if (requests.size() >= maxSubscribers || roomInClaim == 0) {
        break;
      }
      long weight = bodyBytes.applyAsLong(demand.subscriber());
      int granted =
          Budget.grant(
              Math.min(demand.count(), roomInClaim),
              demand.heldAttempts(),
              freeCount,
              demand.heldBytes(),
              freeBytes,
              weight);
      if (granted > 0) {
        requests.add(new ClaimRequest(demand.subscriber(), granted));
        freeCount -= granted;
        roomInClaim -= granted;
        waiting.remove(demand.subscriber());
      }
    }
    return requests;
  }
}
