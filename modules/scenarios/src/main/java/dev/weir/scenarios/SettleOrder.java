package dev.weir.scenarios;

import dev.weir.receiver.Arrival;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/**
 * Finds early acknowledgements: a delivery that the store calls settled before, or without, the
 * answer that settles it. Compares the trace of a delivery with what its receiver logged; both
 * clocks are this machine's.
 *
 * <p>A delivery violates the order when
 *
 * <ul>
 *   <li>it is done, and no arrival with its key was ever answered 2xx;
 *   <li>it is dead, and no arrival with its key was ever answered otherwise;
 *   <li>one of its attempts was settled in an earlier millisecond than the one in which the
 *       receiver began to answer it;
 *   <li>one of its attempts was settled as delivered, and the receiver answered that one otherwise.
 * </ul>
 */
public final class SettleOrder {

  private SettleOrder() {}

  /**
   * @param delivery as {@code GET /v1/deliveries/…} shows it
   * @param arrivals all with its key
   * @return what is wrong, each in a sentence; empty when nothing is
   */
  public static List<String> violations(JsonObject delivery, List<Arrival> arrivals) {
    String key = delivery.getString("key");
    List<String> found = new ArrayList<>();
    String state = delivery.getString("state");
    if ("done".equals(state) && arrivals.stream().noneMatch(Arrival::accepted)) {
      found.add(key + " is done, and its receiver never accepted it");
    }
    if ("dead".equals(state)
        && arrivals.stream().noneMatch(a -> a.answeredNs() != Arrival.NONE && !a.accepted())) {
      found.add(key + " is dead, and its receiver never refused it");
    }
    JsonArray attempts = delivery.getJsonArray("attempts", new JsonArray());
    for (int i = 0; i < attempts.size(); i++) {
      check(key, attempts.getJsonObject(i), arrivals, found);
    }
    return found;
  }

  private static void check(
      String key, JsonObject attempt, List<Arrival> arrivals, List<String> found) {
    int number = attempt.getInteger("attempt");
    String settledAt = attempt.getString("settledAt");
    boolean delivered = "delivered".equals(attempt.getString("outcome"));
    for (Arrival arrival : arrivals) {
      if (arrival.attempt() != number || arrival.answeredNs() == Arrival.NONE) {
        continue;
      }
      String named = key + " attempt " + number;
      if (delivered && !arrival.accepted()) {
        found.add(named + " counts as delivered, and was answered " + arrival.result());
      }
      if (settledAt != null
          && Instant.parse(settledAt).toEpochMilli() < arrival.answeredAtMicros() / 1_000) {
        found.add(named + " was settled before it was answered");
      }
    }
  }
}
