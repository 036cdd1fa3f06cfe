package dev.weir.domain.outcome;

import dev.weir.domain.outcome.Outcome.Health;
import org.jspecify.annotations.Nullable;

/**
 * A quota's gate with its breaker, probe and ramp: the model of what the store enforces for the
 * whole cluster. Immutable; each step returns the next state and is told the time.
 *
 * <p>An open gate closes when an answer asked for it (429, or 503 with a wait), or when the breaker
 * counts enough failures in a row over enough time. Once the time is over it is half open: one
 * attempt, the probe, may pass. If the endpoint answers it, the gate opens and the rate ramps up;
 * if it fails, the gate closes again for twice as long. A probe that ends without a verdict (a 429,
 * a release, a lapsed lease) leaves the gate half open for the next one.
 *
 * <p>While the gate is closed or half open, only the probe's failure counts: the stragglers of the
 * outage that closed it are no news, and with a few dozen in flight they would double the wait to
 * its maximum at once. A later, smaller wait never shortens a closed gate.
 *
 * @param closedUntilMs epoch ms; 0 when nothing closes it
 * @param halfOpen whether it has to be probed before it opens
 * @param probe names the attempt that is under way as the probe; null when none is
 * @param probeEndMs when that attempt's lease ends
 * @param rampSinceMs when the ramp began; 0 for none
 * @param failures in a row
 * @param failingSinceMs when the first of them ended; 0 for none
 * @param openings of the breaker in a row, without a sign of life between
 */
public record Gate(
    long closedUntilMs,
    boolean halfOpen,
    @Nullable String probe,
    long probeEndMs,
    long rampSinceMs,
    int failures,
    long failingSinceMs,
    int openings) {

  /** As a quota begins. */
  public static final Gate OPEN = new Gate(0, false, null, 0, 0, 0, 0, 0);

  private static final int MAX_DOUBLINGS = 30;

  /**
   * Takes over what an attempt came to.
   *
   * @param attempt names it; compared with the probe's name
   */
  public Gate settled(Outcome outcome, String attempt, Policy policy, long nowMs) {
    Gate next = after(outcome.health(), attempt, policy, nowMs);
    return outcome.gateMs() < 0 ? next : next.closedFor(outcome.gateMs(), nowMs);
  }

  /** Closes for at least {@code ms} from now, then has to be probed. */
  public Gate closedFor(long ms, long nowMs) {
    return new Gate(
        Math.max(closedUntilMs, nowMs + ms),
        true,
        probe,
        probeEndMs,
        0,
        failures,
        failingSinceMs,
        openings);
  }

  /** An attempt failed. */
  public Gate failed(String attempt, Policy policy, long nowMs) {
    if (isProbe(attempt)) {
      return probeEnded(attempt).tripped(policy, nowMs);
    }
    if (halfOpen) {
      return this;
    }
    int counted = failures + 1;
    long since = failures == 0 ? nowMs : failingSinceMs;
    Gate next =
        new Gate(closedUntilMs, false, probe, probeEndMs, rampSinceMs, counted, since, openings);
    boolean trips = counted >= policy.failures() && nowMs - since >= policy.overMs();
    return trips ? next.tripped(policy, nowMs) : next;
  }

  /** The endpoint answered for itself: a delivery, or a refusal for good. */
  public Gate succeeded(String attempt, long nowMs) {
    if (isProbe(attempt)) {
      return new Gate(0, false, null, 0, nowMs, 0, 0, 0);
    }
    return new Gate(closedUntilMs, halfOpen, probe, probeEndMs, rampSinceMs, 0, 0, openings);
  }

  /** A claim takes the half-open gate's one passage. */
  public Gate probeStarted(String attempt, long endMs) {
    return new Gate(
        closedUntilMs, halfOpen, attempt, endMs, rampSinceMs, failures, failingSinceMs, openings);
  }

  /**
   * An attempt ended without a verdict: released, lapsed, told to wait. Frees its probe, if any.
   */
  public Gate probeEnded(String attempt) {
    return isProbe(attempt) ? withoutProbe() : this;
  }

  /** An operator opens a closed gate: at once, but through a probe. */
  public Gate opened() {
    return new Gate(
        0, halfOpen, probe, probeEndMs, rampSinceMs, failures, failingSinceMs, openings);
  }

  /** What may pass now. */
  public Passage passage(Policy policy, long nowMs) {
    if (nowMs < closedUntilMs) {
      return new Passage(Passage.Kind.CLOSED, 0, closedUntilMs - nowMs);
    }
    if (halfOpen) {
      return probe != null && nowMs < probeEndMs
          ? new Passage(Passage.Kind.PROBE_OUT, 0, probeEndMs - nowMs)
          : new Passage(Passage.Kind.PROBE, 0, 0);
    }
    long ramped = nowMs - rampSinceMs;
    if (rampSinceMs == 0 || ramped >= policy.rampMs()) {
      return new Passage(Passage.Kind.FREE, 1, 0);
    }
    double grown = (double) Math.max(0, ramped) / policy.rampMs();
    double fraction = policy.rampFloor() + (1 - policy.rampFloor()) * grown;
    return new Passage(Passage.Kind.RAMP, fraction, 0);
  }

  private Gate after(Health health, String attempt, Policy policy, long nowMs) {
    return switch (health) {
      case ALIVE -> succeeded(attempt, nowMs);
      case FAILING -> failed(attempt, policy, nowMs);
      case UNTOLD -> probeEnded(attempt);
    };
  }

  private Gate tripped(Policy policy, long nowMs) {
    long doubled = policy.firstMs() << Math.min(openings, MAX_DOUBLINGS);
    long closesMs = Math.min(doubled, policy.maxMs());
    return new Gate(
        Math.max(closedUntilMs, nowMs + closesMs), true, null, 0, 0, 0, 0, openings + 1);
  }

  private Gate withoutProbe() {
    return new Gate(
        closedUntilMs, halfOpen, null, 0, rampSinceMs, failures, failingSinceMs, openings);
  }

  private boolean isProbe(String attempt) {
    return attempt.equals(probe);
  }

  /**
   * What a gate lets pass.
   *
   * @param fraction of rate and in-flight cap; 1 when free, 0 when closed or probing
   * @param nextInMs when that may change by itself; 0 when something may pass now
   */
  public record Passage(Kind kind, double fraction, long nextInMs) {

    /** How many of {@code cap} in flight are allowed now. */
    public int cap(int cap) {
      return switch (kind) {
        case FREE -> cap;
        case RAMP -> Math.max(1, (int) Math.floor(cap * fraction));
        case PROBE -> 1;
        case PROBE_OUT, CLOSED -> 0;
      };
    }

    /** Names what a gate lets pass. */
    public enum Kind {
      FREE,
      RAMP,
      /** One attempt, and it becomes the probe. */
      PROBE,
      /** Nothing until the probe has ended. */
      PROBE_OUT,
      CLOSED
    }
  }

  /**
   * Breaker and ramp.
   *
   * @param failures in a row that close the gate, 1 or more
   * @param overMs the least time from the first to the last of them
   * @param firstMs how long it closes the first time; doubles with each opening in a row; below a
   *     day
   * @param maxMs longest time it closes by itself
   * @param rampMs from the probe's success to full rate
   * @param rampFloor fraction that the ramp begins with, above 0 to 1
   */
  public record Policy(
      int failures, long overMs, long firstMs, long maxMs, long rampMs, double rampFloor) {

    public static final Policy DEFAULT = new Policy(10, 10_000, 5_000, 300_000, 10_000, 0.1);

    public Policy {
      if (failures < 1 || overMs < 0 || rampMs < 0 || !(rampFloor > 0 && rampFloor <= 1)) {
        throw new IllegalArgumentException(
            "breaker needs failures of 1 or more, times of 0 or more, and a ramp floor above 0 to"
                + " 1");
      }
      if (firstMs < 1 || firstMs > 86_400_000 || maxMs < firstMs) {
        throw new IllegalArgumentException(
            "breaker closes for 1 ms to a day at first, and for no longer than its maximum");
      }
    }
  }
}
