package dev.weir.receiver;

import dev.weir.receiver.Script.RateLimit;

/**
 * The receiver's own bucket: the generic cell rate algorithm over monotonic nanoseconds. A refused
 * request costs nothing, as with most public APIs.
 *
 * <p>In doubles, unlike the node's: over a day their error is below a microsecond, and this plays
 * somebody else's API, whose arithmetic nobody knows either.
 */
final class RealLimit {

  private final double periodNs;
  private final double toleranceNs;
  private double fullAtNs = Double.NEGATIVE_INFINITY;

  RealLimit(RateLimit limit) {
    this.periodNs = limit.rate().periodMicros() * 1_000.0 / limit.rate().tokens();
    this.toleranceNs = (limit.burst() - 1) * periodNs;
  }

  /**
   * @return 0 when the request is within the limit (and has been counted), else how long until one
   *     would be
   */
  long takeOrWaitNs(long nowNs) {
    double waitNs = fullAtNs - toleranceNs - nowNs;
    if (waitNs > 0) {
      return (long) Math.ceil(waitNs);
    }
    fullAtNs = Math.max(fullAtNs, nowNs) + periodNs;
    return 0;
  }
}
