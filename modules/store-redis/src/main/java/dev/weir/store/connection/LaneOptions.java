package dev.weir.store.connection;

import java.time.Duration;

/**
 * How a lane behaves.
 *
 * @param commandDeadline from the send of a command to its reply; past it the connection is
 *     replaced
 * @param connectDeadline for the whole of connecting: TCP, TLS, HELLO, SELECT
 * @param maxInFlight commands sent and not answered, per lane; more are refused at once
 * @param backoffFloor first wait before a reconnect, doubling from here, with jitter
 * @param backoffCap longest wait before a reconnect
 */
public record LaneOptions(
    Duration commandDeadline,
    Duration connectDeadline,
    int maxInFlight,
    Duration backoffFloor,
    Duration backoffCap) {

  /** Far above any command of ours at rest, far below the lease of a claim. */
  public static final Duration COMMAND_DEADLINE = Duration.ofSeconds(2);

  public static final Duration CONNECT_DEADLINE = Duration.ofSeconds(2);

  /** A burst of one loop turn fits; beyond it, memory would grow without making Redis faster. */
  public static final int MAX_IN_FLIGHT = 16_384;

  public static final Duration BACKOFF_FLOOR = Duration.ofMillis(10);

  /** So that deliveries resume within 2 s of Redis' return. */
  public static final Duration BACKOFF_CAP = Duration.ofSeconds(1);

  public LaneOptions {
    requirePositive(commandDeadline, "commandDeadline");
    requirePositive(connectDeadline, "connectDeadline");
    requirePositive(backoffFloor, "backoffFloor");
    if (maxInFlight < 1) {
      throw new IllegalArgumentException("maxInFlight must be at least 1, not " + maxInFlight);
    }
    if (backoffCap.compareTo(backoffFloor) < 0) {
      throw new IllegalArgumentException(
          "backoffCap " + backoffCap + " is below backoffFloor " + backoffFloor);
    }
  }

  public static LaneOptions defaults() {
    return new LaneOptions(
        COMMAND_DEADLINE, CONNECT_DEADLINE, MAX_IN_FLIGHT, BACKOFF_FLOOR, BACKOFF_CAP);
  }

  private static void requirePositive(Duration value, String name) {
    if (value.toMillis() < 1) {
      throw new IllegalArgumentException(name + " must be at least 1 ms, not " + value);
    }
  }
}
