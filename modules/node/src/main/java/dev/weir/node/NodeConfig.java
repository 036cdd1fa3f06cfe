package dev.weir.node;

import dev.weir.domain.subscriber.Subscriber;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * How a node runs; every bound is checked here and all problems are told at once.
 *
 * @param name of the node, in traces and in {@code Weir-Node}; 1 to 64 of {@code [A-Za-z0-9._-]}
 * @param lanes event loops that share the work: what Vert.x was started with
 * @param maxAttempts deliveries in hand at once over all subscribers of this node
 * @param maxBodyBytes bytes of their bodies; a claim may pass it by one body
 * @param idleAfter how long a subscriber's verticle stays with nothing to do
 * @param deadLetterRetention after which dead letters are purged and counted
 */
public record NodeConfig(
    String name,
    int lanes,
    int maxAttempts,
    long maxBodyBytes,
    Duration idleAfter,
    Duration deadLetterRetention) {

  public static final int DEFAULT_MAX_ATTEMPTS = 2_000;
  public static final long DEFAULT_MAX_BODY_BYTES = 128L << 20;

  /** Long enough that a subscriber with a delivery every few seconds isn't set up for each. */
  public static final Duration DEFAULT_IDLE_AFTER = Duration.ofSeconds(10);

  public static final Duration DEFAULT_DEAD_LETTER_RETENTION = Duration.ofDays(30);

  /** Of the largest message that a claim may hand over. */
  private static final long MIN_BODY_BYTES = 1L << 20;

  public NodeConfig {
    List<String> problems = new ArrayList<>();
    if (!name.matches("[A-Za-z0-9._-]{1,64}")) {
      problems.add("node.name must be 1 to 64 of A-Z a-z 0-9 . _ -, was '" + name + "'");
    }
    if (lanes < 1 || lanes > 256) {
      problems.add("node.lanes must be 1 to 256, was " + lanes);
    }
    if (maxAttempts < lanes || maxAttempts > 100_000) {
      problems.add(
          "node.maxAttempts must be " + lanes + " (one per lane) to 100000, was " + maxAttempts);
    }
    if (maxBodyBytes < MIN_BODY_BYTES) {
      problems.add(
          "node.maxBodyBytes must be at least " + MIN_BODY_BYTES + ", was " + maxBodyBytes);
    }
    if (idleAfter.compareTo(Duration.ofMillis(100)) < 0
        || idleAfter.compareTo(Duration.ofHours(1)) > 0) {
      problems.add("node.idleAfter must be 100ms to 1h, was " + idleAfter);
    }
    if (deadLetterRetention.compareTo(Duration.ofHours(1)) < 0) {
      problems.add("node.deadLetterRetention must be at least 1h, was " + deadLetterRetention);
    }
    if (!problems.isEmpty()) {
      throw new IllegalArgumentException(String.join("; ", problems));
    }
  }

  /** The defaults for a node of this name on so many event loops. */
  public static NodeConfig defaults(String name, int lanes) {
    return new NodeConfig(
        name,
        lanes,
        DEFAULT_MAX_ATTEMPTS,
        DEFAULT_MAX_BODY_BYTES,
        DEFAULT_IDLE_AFTER,
        DEFAULT_DEAD_LETTER_RETENTION);
  }

  /** Connections to one endpoint per event loop: never what bounds a subscriber. */
  int maxPerEndpoint() {
    return Math.max(maxAttempts, Subscriber.MAX_IN_FLIGHT);
  }
}
