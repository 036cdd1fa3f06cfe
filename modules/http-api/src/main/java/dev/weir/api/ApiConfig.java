package dev.weir.api;

import java.time.Duration;

/**
 * How the API listens.
 *
 * @param host address to bind
 * @param port 0 for any free one
 * @param idleTimeout after which a connection without a byte in either direction is closed; longer
 *     than the longest answer takes to begin (a balance of a large store), 1 s to 1 h
 * @param bodyDeadline how long a request's body may take to arrive, 100 ms to 10 min
 */
public record ApiConfig(String host, int port, Duration idleTimeout, Duration bodyDeadline) {

  /** Names and values of all headers of a request: a full set of message headers, and targets. */
  public static final int MAX_HEADER_BYTES = 65_536;

  /** Two ids, percent-encoded, and a cursor. */
  public static final int MAX_REQUEST_LINE_BYTES = 16_384;

  public static final Duration DEFAULT_IDLE_TIMEOUT = Duration.ofMinutes(10);
  public static final Duration DEFAULT_BODY_DEADLINE = Duration.ofSeconds(30);

  public ApiConfig {
    if (port < 0 || port > 65_535) {
      throw new IllegalArgumentException("port must be 0 to 65535, was " + port);
    }
    requireBetween("idleTimeout", idleTimeout, Duration.ofSeconds(1), Duration.ofHours(1));
    requireBetween("bodyDeadline", bodyDeadline, Duration.ofMillis(100), Duration.ofMinutes(10));
  }

  public static ApiConfig on(String host, int port) {
    return new ApiConfig(host, port, DEFAULT_IDLE_TIMEOUT, DEFAULT_BODY_DEADLINE);
  }

  private static void requireBetween(String field, Duration value, Duration low, Duration high) {
    if (value.compareTo(low) < 0 || value.compareTo(high) > 0) {
      throw new IllegalArgumentException(
          field + " must be " + low + " to " + high + ", was " + value);
    }
  }
}
