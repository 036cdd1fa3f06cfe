package dev.weir.domain.outcome;

import dev.weir.domain.outcome.Answer.ErrorClass;
import dev.weir.domain.outcome.AnswerTable.Verdict;
import dev.weir.domain.outcome.Outcome.Budget;
import dev.weir.domain.outcome.Outcome.Health;
import dev.weir.domain.subscriber.Subscriber;
import dev.weir.domain.subscriber.Subscriber.OnAmbiguous;
import java.util.Locale;
import java.util.OptionalLong;

/**
 * From an attempt's answer to its outcome: the answer table, then budgets, delay and boundary.
 *
 * <p>Delays. A failure waits for its backoff. With a Retry-After the larger of it and the backoff
 * counts, plus a small jitter: never less than was asked, and never all at the same instant. A 429
 * without one backs off by the number of 429s in a row. 429 always, and 503 with a Retry-After,
 * also close the gate, for exactly the time asked (or chosen), at most {@link
 * RetryPolicy#BOUNDARY}.
 *
 * <p>Limits, in this order. Failures that reach {@code maxFailures}: dead. A single wait asked for
 * beyond the boundary: reconciliation with the asked-for wait, not clipped. A delivery that would
 * be older than the boundary at its next attempt: dead when it was held up by 429s, else
 * reconciliation. The last rule spares a first attempt, whose age is only its own duration: a
 * Retry-After of seven days sharp is honoured. It spares a paused subscriber's deliveries too: the
 * time a person takes isn't the retry's.
 */
public final class Decision {

  /** A broken certificate heals when a person renews it: no use in asking every second. */
  static final long CERTIFICATE_DELAY_MS = 60_000;

  /** Cap of the jitter that is added to a wait that was asked for. */
  static final long MAX_ADDED_JITTER_MS = 1_000;

  /** Foreign text (Location, error messages) is cut to this in a reason. */
  static final int MAX_DETAIL_CHARS = 200;

  private static final long BOUNDARY_MS = RetryPolicy.BOUNDARY.toMillis();

  private final Subscriber subscriber;
  private final AttemptFacts facts;
  private final double jitter;

  private Decision(Subscriber subscriber, AttemptFacts facts, double jitter) {
    this.subscriber = subscriber;
    this.facts = facts;
    this.jitter = jitter;
  }

  /**
   * @param nowEpochMs by this node's clock; only used to read a Retry-After date whose response has
   *     no believable Date
   * @param jitter uniform in [0, 1)
   */
  public static Outcome decide(
      Answer answer, Subscriber subscriber, AttemptFacts facts, long nowEpochMs, double jitter) {
    Decision decision = new Decision(subscriber, facts, jitter);
    if (answer instanceof Answer.Status status) {
      return decision.onStatus(status, nowEpochMs);
    }
    if (answer instanceof Answer.NotSent notSent) {
      return decision.onNotSent(notSent);
    }
    return decision.onNoAnswer((Answer.NoAnswer) answer);
  }

  private Outcome onStatus(Answer.Status status, long nowEpochMs) {
    OptionalLong asked = RetryAfter.parse(status.retryAfter(), status.date(), nowEpochMs).waitMs();
    Verdict verdict = AnswerTable.read(status.code(), asked.isPresent(), subscriber.statusPolicy());
    return switch (verdict) {
      case DELIVERED -> new Outcome.Delivered();
      case DEAD -> new Outcome.Dead(refusal(status), false);
      case GONE -> new Outcome.Dead("status 410: gone, so the subscriber is disabled", true);
      case NOT_HTTP ->
          fail("protocol: " + status.code() + " is no final HTTP status", false, backoff());
      case RETRY -> status.code() == 429 ? onRateLimit(asked) : onRetryStatus(status.code(), asked);
      case PAUSE -> onPause(status.code(), asked);
    };
  }

  private static String refusal(Answer.Status status) {
    String reason = "status " + status.code();
    if (status.code() >= 400) {
      return reason;
    }
    String location = status.location();
    return reason
        + ": redirects are never followed; Location "
        + (location == null ? "absent" : printable(location));
  }

  private Outcome onRateLimit(OptionalLong asked) {
    long backoff = Backoff.delayMs(subscriber.retry(), facts.rateLimits(), jitter);
    long delayMs = asked.isPresent() ? atLeast(asked.getAsLong(), backoff) : backoff;
    long gateMs = gate(asked.orElse(delayMs));
    String reason = withAsked("status 429", asked);
    if (isBeyondBoundary(asked)) {
      return askedBeyond(reason, asked.getAsLong(), Health.UNTOLD, gateMs, false);
    }
    if (wouldBeTooOld(delayMs)) {
      return new Outcome.Dead(
          "rate-limited too long: at seven days the last answer was " + reason,
          false,
          Health.UNTOLD,
          gateMs);
    }
    return new Outcome.Retry(delayMs, reason, Budget.RATE_LIMIT, gateMs, false, false);
  }

  private Outcome onRetryStatus(int code, OptionalLong asked) {
    String reason = withAsked("status " + code, asked);
    if (asked.isEmpty()) {
      return fail(reason, false, backoff());
    }
    long askedMs = asked.getAsLong();
    long gateMs = code == 503 ? gate(askedMs) : Outcome.NO_GATE;
    if (isLastFailure()) {
      return exhausted(reason, gateMs);
    }
    if (isBeyondBoundary(asked)) {
      return askedBeyond(reason, askedMs, Health.FAILING, gateMs, false);
    }
    long delayMs = atLeast(askedMs, backoff());
    if (wouldBeTooOld(delayMs)) {
      return tooOld(reason, askedMs, Health.FAILING, gateMs);
    }
    return new Outcome.Retry(delayMs, reason, Budget.FAILURE, gateMs, false, false);
  }

  /** A pause spends no budget: the delivery must outlive the person's absence. */
  private Outcome onPause(int code, OptionalLong asked) {
    String reason = withAsked("status " + code, asked);
    boolean closesGate = code == 429 || code == 503 && asked.isPresent();
    long delayMs = asked.isPresent() ? atLeast(asked.getAsLong(), backoff()) : backoff();
    long gateMs = closesGate ? gate(asked.orElse(delayMs)) : Outcome.NO_GATE;
    if (isBeyondBoundary(asked)) {
      return askedBeyond(reason, asked.getAsLong(), Health.UNTOLD, gateMs, true);
    }
    return new Outcome.Retry(delayMs, reason, Budget.NONE, gateMs, false, true);
  }

  private Outcome onNotSent(Answer.NotSent answer) {
    String reason = reason(answer.error(), answer.detail());
    return switch (answer.error()) {
      case LOCAL -> retryUnlessTooOld(backoff(), reason, Budget.NONE, false);
      case DRAINED -> drained(reason, false);
      case CERTIFICATE -> fail(reason, false, atLeast(CERTIFICATE_DELAY_MS, backoff()));
      default -> fail(reason, false, backoff());
    };
  }

  private Outcome onNoAnswer(Answer.NoAnswer answer) {
    String reason = "ambiguous: " + reason(answer.error(), answer.detail());
    boolean ownDoing = answer.error() == ErrorClass.DRAINED || answer.error() == ErrorClass.LOCAL;
    if (subscriber.onAmbiguous() == OnAmbiguous.HOLD) {
      Health health = ownDoing ? Health.UNTOLD : Health.FAILING;
      return new Outcome.Reconcile(reason, Outcome.NO_DELAY, health, Outcome.NO_GATE, false);
    }
    return ownDoing ? drained(reason, true) : fail(reason, true, backoff());
  }

  private Outcome drained(String reason, boolean ambiguous) {
    long delayMs = atLeast(subscriber.retry().base().toMillis(), 0);
    return retryUnlessTooOld(delayMs, reason, Budget.NONE, ambiguous);
  }

  private Outcome fail(String reason, boolean ambiguous, long delayMs) {
    if (isLastFailure()) {
      return exhausted(reason, Outcome.NO_GATE);
    }
    return retryUnlessTooOld(delayMs, reason, Budget.FAILURE, ambiguous);
  }

  private Outcome retryUnlessTooOld(long delayMs, String reason, Budget spends, boolean ambiguous) {
    if (wouldBeTooOld(delayMs)) {
      Health health = spends == Budget.FAILURE ? Health.FAILING : Health.UNTOLD;
      return tooOld(reason, Outcome.NO_DELAY, health, Outcome.NO_GATE);
    }
    return new Outcome.Retry(delayMs, reason, spends, Outcome.NO_GATE, ambiguous, false);
  }

  private static Outcome tooOld(String last, long askedMs, Health health, long gateMs) {
    return new Outcome.Reconcile("older than seven days: " + last, askedMs, health, gateMs, false);
  }

  private boolean isLastFailure() {
    return facts.failures() + 1 >= subscriber.retry().maxFailures();
  }

  private Outcome exhausted(String last, long gateMs) {
    String reason = "gave up: after " + (facts.failures() + 1) + " failures: " + last;
    return new Outcome.Dead(reason, false, Health.FAILING, gateMs);
  }

  private static Outcome askedBeyond(
      String reason, long askedMs, Health health, long gateMs, boolean pause) {
    return new Outcome.Reconcile(
        "asked to wait beyond seven days: " + reason, askedMs, health, gateMs, pause);
  }

  private static boolean isBeyondBoundary(OptionalLong asked) {
    return asked.isPresent() && asked.getAsLong() > BOUNDARY_MS;
  }

  private boolean wouldBeTooOld(long delayMs) {
    boolean first = facts.failures() == 0 && facts.rateLimits() == 0;
    return facts.ageMs() > BOUNDARY_MS || !first && facts.ageMs() + delayMs > BOUNDARY_MS;
  }

  private static long gate(long askedMs) {
    return Math.min(askedMs, BOUNDARY_MS);
  }

  private long backoff() {
    return Backoff.delayMs(subscriber.retry(), facts.failures(), jitter);
  }

  /**
   * Never before {@code askedMs}, and a little after it: up to a tenth of the wait or a second,
   * whichever is smaller, but at least 1 ms (the asked-for instant itself is still too early). At
   * the boundary there is no room for it.
   */
  private long atLeast(long askedMs, long backoffMs) {
    long waitMs = Math.max(askedMs, backoffMs);
    long room = Math.min(MAX_ADDED_JITTER_MS, waitMs / 10);
    long addedMs = 1 + (long) (jitter * room);
    return waitMs > BOUNDARY_MS ? waitMs : Math.min(BOUNDARY_MS, waitMs + addedMs);
  }

  private static String withAsked(String reason, OptionalLong asked) {
    return asked.isEmpty() ? reason : reason + ": asked to wait " + asked.getAsLong() + " ms";
  }

  private static String reason(ErrorClass error, String detail) {
    String name = error.name().toLowerCase(Locale.ROOT);
    return detail.isEmpty() ? name : name + ": " + printable(detail);
  }

  /** Foreign text as one short line: what is no printable ASCII becomes a question mark. */
  private static String printable(String text) {
    String cut = text.length() <= MAX_DETAIL_CHARS ? text : text.substring(0, MAX_DETAIL_CHARS);
    return cut.replaceAll("[^ -~]", "?");
  }
}
