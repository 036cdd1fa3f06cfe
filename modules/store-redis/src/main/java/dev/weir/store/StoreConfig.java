package dev.weir.store;

import java.time.Duration;

/**
 * The store's constants, most of them handed to its scripts.
 *
 * @param ledger how long it stays known that a delivery is done, and answers of publishes are kept
 * @param trace how long the trace of a delivered delivery is kept
 * @param leaseMargin a claim's lease is its subscriber's timeout plus this
 * @param slack how far claims may run ahead of their token before the backstop refuses; they do so
 *     by up to 50 ms in health
 * @param breakerFailures failures in a row that close the gate, over at least {@code breakerSpan}
 * @param breakerBase first closing time; doubles with each, up to {@code breakerMax}
 * @param ramp time from a tenth of the pace to all of it after a gate opened
 * @param fullPercent of maxmemory from which publishes are refused, so that settling has room
 */
public record StoreConfig(
    Duration ledger,
    Duration trace,
    Duration leaseMargin,
    Duration slack,
    int breakerFailures,
    Duration breakerSpan,
    Duration breakerBase,
    Duration breakerMax,
    Duration ramp,
    int fullPercent) {

  public static final StoreConfig DEFAULT =
      new StoreConfig(
          Duration.ofDays(8),
          Duration.ofHours(24),
          Duration.ofSeconds(15),
          Duration.ofMillis(100),
          10,
          Duration.ofSeconds(10),
          Duration.ofSeconds(5),
          Duration.ofMinutes(5),
          Duration.ofSeconds(10),
          90);

  public StoreConfig {
    requirePositive("ledger", ledger);
    requirePositive("trace", trace);
    requirePositive("leaseMargin", leaseMargin);
    requirePositive("ramp", ramp);
    requirePositive("breakerBase", breakerBase);
    if (slack.isNegative()) {
      throw new IllegalArgumentException("slack must be 0 or more, was " + slack);
    }
    if (breakerFailures < 1) {
      throw new IllegalArgumentException("breakerFailures must be 1 or more: " + breakerFailures);
    }
    if (breakerMax.compareTo(breakerBase) < 0) {
      throw new IllegalArgumentException("breakerMax must not be below breakerBase");
    }
    if (fullPercent < 1 || fullPercent > 100) {
      throw new IllegalArgumentException("fullPercent must be 1 to 100, was " + fullPercent);
    }
  }

  /** The table that stands before every script. */
  String lua() {
    return "local C = {ledgerMs = "
        + ledger.toMillis()
        + ", traceMs = "
        + trace.toMillis()
        + ", slackUs = "
        + slack.toMillis() * 1_000
        + ", breakerFailures = "
        + breakerFailures
        + ", breakerSpanMs = "
        + breakerSpan.toMillis()
        + ", breakerBaseMs = "
        + breakerBase.toMillis()
        + ", breakerMaxMs = "
        + breakerMax.toMillis()
        + ", rampMs = "
        + ramp.toMillis()
        + "}\n";
  }

  private static void requirePositive(String field, Duration value) {
    if (value.toMillis() < 1) {
      throw new IllegalArgumentException(field + " must be 1 ms or more, was " + value);
    }
  }
}
