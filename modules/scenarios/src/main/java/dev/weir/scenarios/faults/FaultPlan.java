package dev.weir.scenarios.faults;

import java.time.Duration;

/**
 * @param rounds how many blows
 * @param least shortest time under load before a blow
 * @param most longest time under load before a blow
 * @param seed of the times between and of the messages
 */
public record FaultPlan(Blow blow, int rounds, Duration least, Duration most, long seed) {

  public FaultPlan {
    if (rounds < 1 || rounds > 1_000) {
      throw new IllegalArgumentException("rounds must be 1 to 1000, was " + rounds);
    }
    if (least.isNegative() || most.compareTo(least) < 0) {
      throw new IllegalArgumentException("most must not be below least, nor least below 0");
    }
  }

  public static FaultPlan of(Blow blow, int rounds) {
    return new FaultPlan(blow, rounds, Duration.ofMillis(300), Duration.ofMillis(1_500), 1);
  }

  /** What is done to the node or its store, each followed by its return. */
  public enum Blow {
    /** SIGKILL to the node, then a start on the same data. */
    KILL_NODE,
    /**
     * SIGKILL to the node at a named point of a delivery's way, with requests in flight: after the
     * claim, the write, the answer and the settle, in turn.
     */
    KILL_NODE_AT_POINT,
    /** SIGTERM to the node, then a start on the same data. */
    TERMINATE_NODE,
    /** SIGKILL to its Redis, which the node itself starts again. */
    KILL_REDIS
  }
}
