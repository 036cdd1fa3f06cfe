package dev.weir.domain.subscriber;

import dev.weir.domain.message.DeliveryId;
import dev.weir.domain.message.Escaping;
import dev.weir.domain.outcome.RetryPolicy;
import dev.weir.domain.outcome.StatusPolicy;
import java.net.URI;
import java.time.Duration;
import java.util.Map;

/**
 * A destination, as configured.
 *
 * @param id 1 to {@value DeliveryId#MAX_SUBSCRIBER_BYTES} bytes of UTF-8
 * @param endpoint absolute {@code http} or {@code https} URI with a host, without user info or
 *     fragment
 * @param method POST, PUT or PATCH
 * @param quotaId its own id when it has a quota of its own, else the name of the quota it shares
 * @param maxInFlight attempts under way at once over all nodes, 1 to {@value #MAX_IN_FLIGHT}
 * @param timeout of one attempt, from dispatch to the answer; 100 ms to 10 min
 * @param onAmbiguous what an attempt comes to that was sent and never answered
 * @param objective the age past which a waiting delivery is late; alerts go by age / objective
 * @param headers sent with each attempt, before the message's own
 * @param stampAttempts whether attempts carry {@code Weir-Sent-At} and {@code Weir-Node} (for
 *     measurements; off by default)
 */
public record Subscriber(
    String id,
    URI endpoint,
    String method,
    String quotaId,
    int maxInFlight,
    Duration timeout,
    RetryPolicy retry,
    StatusPolicy statusPolicy,
    OnAmbiguous onAmbiguous,
    Duration objective,
    Map<String, String> headers,
    boolean stampAttempts) {

  public static final int MAX_IN_FLIGHT = 1_000;
  public static final int DEFAULT_IN_FLIGHT = 32;
  public static final Duration DEFAULT_TIMEOUT = Duration.ofSeconds(15);
  public static final Duration MIN_TIMEOUT = Duration.ofMillis(100);
  public static final Duration MAX_TIMEOUT = Duration.ofMinutes(10);
  public static final Duration DEFAULT_OBJECTIVE = Duration.ofMinutes(5);

  public Subscriber {
    Escaping.requireId("id", id, DeliveryId.MAX_SUBSCRIBER_BYTES);
    Escaping.requireId("quota", quotaId, DeliveryId.MAX_SUBSCRIBER_BYTES);
    if (maxInFlight < 1 || maxInFlight > MAX_IN_FLIGHT) {
      throw new IllegalArgumentException(
          "maxInFlight must be 1 to " + MAX_IN_FLIGHT + ", was " + maxInFlight);
    }
    if (timeout.compareTo(MIN_TIMEOUT) < 0 || timeout.compareTo(MAX_TIMEOUT) > 0) {
      throw new IllegalArgumentException("timeout must be 100ms to 10min, was " + timeout);
    }
    headers = Map.copyOf(headers);
  }

  public boolean sharesQuota() {
    return !quotaId.equals(id);
  }

  /** What to do with an attempt that was written and never answered. */
  public enum OnAmbiguous {
    /** Try again: the subscriber honours the idempotency key. */
    RETRY,
    /** Hold it for a person: the subscriber can't take repeats. */
    HOLD
  }

  /** Whether deliveries may start. */
  public enum State {
    ACTIVE,
    /** An operator, rate 0 or a status policy stopped it; its backlog waits. */
    PAUSED,
    /** The endpoint said it is gone (410); its backlog waits for a person. */
    DISABLED
  }
}
