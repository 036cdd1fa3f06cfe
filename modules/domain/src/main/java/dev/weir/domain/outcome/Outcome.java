package dev.weir.domain.outcome;

/** What an attempt came to: the one thing that {@code settle} records. */
public sealed interface Outcome {

  /** In {@code gateMs}: the quota's gate is left alone. */
  long NO_GATE = -1;

  /** In {@code askedDelayMs}: no particular wait was asked for. */
  long NO_DELAY = -1;

  /** What this attempt says of the endpoint; moves breaker, probe and ramp. */
  Health health();

  /**
   * How long the quota's gate closes for the whole cluster, from the settle; or {@link #NO_GATE}.
   */
  default long gateMs() {
    return NO_GATE;
  }

  /** Why, in a few words: {@code class: detail}, see {@link #classOf}. Empty when delivered. */
  default String reason() {
    return "";
  }

  /**
   * The part of a reason before its detail. There are few of them (the classes below, one per error
   * class, one per status), so it can label a metric.
   */
  static String classOf(String reason) {
    int colon = reason.indexOf(':');
    return colon < 0 ? reason : reason.substring(0, colon);
  }

  /** Final: in the ledger. */
  record Delivered() implements Outcome {
    @Override
    public Health health() {
      return Health.ALIVE;
    }
  }

  /**
   * Tried again later.
   *
   * @param delayMs from the settle to the next time it is eligible, 0 to seven days
   * @param reason in a few words, for the trace
   * @param spends which budget this attempt counts against
   * @param gateMs 0 to seven days; {@value #NO_GATE} for not at all
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

    public static final long NO_GATE = Outcome.NO_GATE;

    @Override
    public Health health() {
      return spends == Budget.FAILURE ? Health.FAILING : Health.UNTOLD;
    }
  }

  /**
   * Given up; waits in the dead letters, whole, for a redrive.
   *
   * @param health ALIVE when the endpoint itself refused the message; FAILING when the failures ran
   *     out
   */
  record Dead(String reason, boolean disableSubscriber, Health health, long gateMs)
      implements Outcome {

    /** The endpoint answered, and refused this message for good. */
    public Dead(String reason, boolean disableSubscriber) {
      this(reason, disableSubscriber, Health.ALIVE, NO_GATE);
    }
  }

  /**
   * Needs a person.
   *
   * @param reason in a few words
   * @param askedDelayMs the wait that was asked for, from now, never clipped; {@value #NO_DELAY}
   *     when none was
   * @param gateMs 0 to seven days; {@value #NO_GATE} for not at all
   * @param pauseSubscriber whether the subscriber is paused in the same step
   */
  record Reconcile(
      String reason, long askedDelayMs, Health health, long gateMs, boolean pauseSubscriber)
      implements Outcome {

    /** Says nothing of the endpoint, leaves the gate and the subscriber alone. */
    public Reconcile(String reason, long askedDelayMs) {
      this(reason, askedDelayMs, Health.UNTOLD, NO_GATE, false);
    }
  }

  /** Which budget an attempt spends. */
  enum Budget {
    /** Counts against {@code maxFailures} and towards the breaker. */
    FAILURE,
    /** A 429: bounded by age, not by count. */
    RATE_LIMIT,
    /** Not the subscriber's doing (a drain, a full local queue, a pause): counts nowhere. */
    NONE
  }

  /** What an attempt says of its endpoint. */
  enum Health {
    /** It answered for itself: the breaker's count restarts, a probe has succeeded. */
    ALIVE,
    /** One more failure in a row for the breaker; a probe has failed. */
    FAILING,
    /** Nothing either way (a 429, a local reason); a probe has ended without a verdict. */
    UNTOLD
  }
}
