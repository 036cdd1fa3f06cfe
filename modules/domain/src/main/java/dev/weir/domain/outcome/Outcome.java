package dev.weir.domain.outcome;

/** What an attempt came to: the one thing that {@code settle} records. */
public sealed interface Outcome {

  /** Final: in the ledger. */
  record Delivered() implements Outcome {}

  /**
   * Tried again later.
   *
   * @param delayMs from the settle to the next time it is eligible, 0 to seven days
   * @param reason in a few words, for the trace
   * @param spends which budget this attempt counts against
   * @param gateMs how long the quota's gate closes for the whole cluster; {@value #NO_GATE} for not
   *     at all
   * @param ambiguous whether the request was written and never answered
   * @param pauseSubscriber whether the subscriber is paused in the same step
   */
  record Retry(
      long delayMs,
      String reason,
      Budget spends,
      long gateMs,
      boolean ambiguous,
      boolean pauseSubscriber)
      implements Outcome {

    public static final long NO_GATE = -1;
  }

  /** Given up; waits in the dead letters, whole, for a redrive. */
  record Dead(String reason, boolean disableSubscriber) implements Outcome {}

  /**
   * Needs a person.
   *
   * @param reason in a few words
   * @param askedDelayMs the wait that was asked for, from now; -1 when none was
   */
  record Reconcile(String reason, long askedDelayMs) implements Outcome {}

  /** Which budget an attempt spends. */
  enum Budget {
    /** Counts against {@code maxFailures} and towards the breaker. */
    FAILURE,
    /** A 429: bounded by age, not by count. */
    RATE_LIMIT,
    /** Not the subscriber's doing (a drain, a full local queue): counts nowhere. */
    NONE
  }
}
