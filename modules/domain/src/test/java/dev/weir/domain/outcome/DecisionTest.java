package dev.weir.domain.outcome;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.domain.outcome.Answer.ErrorClass;
import dev.weir.domain.outcome.Outcome.Budget;
import dev.weir.domain.outcome.Outcome.Health;
import dev.weir.domain.outcome.StatusPolicy.Treatment;
import dev.weir.domain.subscriber.Subscriber;
import dev.weir.domain.subscriber.Subscriber.OnAmbiguous;
import java.net.URI;
import java.time.Duration;
import java.util.Map;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.DoubleRange;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.LongRange;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

final class DecisionTest {

  private static final long NOW = 1_796_126_400_000L;
  private static final long WEEK_MS = Duration.ofDays(7).toMillis();
  private static final Subscriber PLAIN = subscriber(StatusPolicy.DEFAULT, OnAmbiguous.RETRY);
  private static final Subscriber HOLDING = subscriber(StatusPolicy.DEFAULT, OnAmbiguous.HOLD);

  @ParameterizedTest
  @ValueSource(ints = {200, 201, 202, 204, 206, 299})
  void twoHundredsAreDelivered(int code) {
    assertThat(decide(code)).isEqualTo(new Outcome.Delivered());
  }

  @ParameterizedTest
  @ValueSource(
      ints = {408, 425, 500, 501, 502, 503, 504, 507, 511, 520, 521, 522, 523, 524, 525, 530, 599})
  void notNowIsRetried(int code) {
    Outcome.Retry retry = retried(decide(code));
    assertThat(retry.spends()).isEqualTo(Budget.FAILURE);
    assertThat(retry.gateMs()).isEqualTo(Outcome.NO_GATE);
    assertThat(retry.ambiguous()).isFalse();
    assertThat(Outcome.classOf(retry.reason())).isEqualTo("status " + code);
  }

  @ParameterizedTest
  @ValueSource(ints = {400, 401, 403, 404, 405, 409, 413, 415, 422, 423, 451, 499, 300, 304})
  void refusalsAreDeadAtOnce(int code) {
    Outcome.Dead dead = dead(decide(code));
    assertThat(dead.disableSubscriber()).isFalse();
    assertThat(dead.health()).isEqualTo(Health.ALIVE);
    assertThat(Outcome.classOf(dead.reason())).isEqualTo("status " + code);
  }

  @ParameterizedTest
  @ValueSource(ints = {100, 101, 103, 199, 600, 999, 99, 0, -1})
  void whatIsNoFinalStatusIsAProtocolError(int code) {
    Outcome.Retry retry = retried(decide(code));
    assertThat(Outcome.classOf(retry.reason())).isEqualTo("protocol");
    assertThat(retry.spends()).isEqualTo(Budget.FAILURE);
  }

  @Test
  void redirectsDieWithTheirLocation() {
    Answer answer = new Answer.Status(301, null, null, "https://elsewhere.example/\r\nx");
    assertThat(dead(decide(answer)).reason())
        .isEqualTo(
            "status 301: redirects are never followed; Location https://elsewhere.example/??x");
  }

  @Test
  void goneDiesAndDisablesTheSubscriber() {
    assertThat(dead(decide(410)).disableSubscriber()).isTrue();
  }

  @Test
  void tooLargeIsRetriedOnlyWithAReadableRetryAfter() {
    assertThat(retried(decide(Answer.Status.of(413).withRetryAfter("5"))).gateMs())
        .isEqualTo(Outcome.NO_GATE);
    dead(decide(Answer.Status.of(413).withRetryAfter("soon")));
  }

  @Test
  void aPolicyMovesAStatus() {
    Subscriber own =
        subscriber(
            new StatusPolicy(
                Map.of(
                    401,
                    Treatment.PAUSE,
                    409,
                    Treatment.RETRY,
                    503,
                    Treatment.DEAD,
                    410,
                    Treatment.DEAD,
                    302,
                    Treatment.RETRY)),
            OnAmbiguous.RETRY);

    Outcome.Retry paused = retried(decide(Answer.Status.of(401), own, AttemptFacts.FIRST, 0));
    assertThat(paused.pauseSubscriber()).isTrue();
    assertThat(paused.spends()).isEqualTo(Budget.NONE);
    assertThat(retried(decide(Answer.Status.of(409), own, AttemptFacts.FIRST, 0)).spends())
        .isEqualTo(Budget.FAILURE);
    retried(decide(Answer.Status.of(302), own, AttemptFacts.FIRST, 0));
    dead(decide(Answer.Status.of(503).withRetryAfter("5"), own, AttemptFacts.FIRST, 0));
    assertThat(dead(decide(Answer.Status.of(410), own, AttemptFacts.FIRST, 0)).disableSubscriber())
        .isFalse();
  }

  @Test
  void aPausedDeliveryOutlivesTheAgeLimitAndItsFailures() {
    Subscriber own = subscriber(new StatusPolicy(Map.of(401, Treatment.PAUSE)), OnAmbiguous.RETRY);
    AttemptFacts old = new AttemptFacts(15, 0, 2 * WEEK_MS);

    assertThat(retried(decide(Answer.Status.of(401), own, old, 0.5)).pauseSubscriber()).isTrue();
    Answer tooFar = Answer.Status.of(401).withRetryAfter("604801");
    assertThat(reconciled(decide(tooFar, own, old, 0.5)).pauseSubscriber()).isTrue();
  }

  @ParameterizedTest
  @CsvSource({"0.0, 17001", "0.5, 17501", "0.999, 18000"})
  void a429WaitsALittleLongerThanAskedAndClosesTheGateForExactlyThat(double jitter, long delayMs) {
    Outcome.Retry retry =
        retried(
            decide(Answer.Status.of(429).withRetryAfter("17"), PLAIN, AttemptFacts.FIRST, jitter));
    assertThat(retry.delayMs()).isEqualTo(delayMs);
    assertThat(retry.gateMs()).isEqualTo(17_000);
    assertThat(retry.spends()).isEqualTo(Budget.RATE_LIMIT);
    assertThat(retry.health()).isEqualTo(Health.UNTOLD);
  }

  @Test
  void a503ClosesTheGateOnlyWithRetryAfter() {
    assertThat(retried(decide(Answer.Status.of(503).withRetryAfter("2"))).gateMs())
        .isEqualTo(2_000);
    assertThat(retried(decide(503)).gateMs()).isEqualTo(Outcome.NO_GATE);
    assertThat(retried(decide(Answer.Status.of(500).withRetryAfter("2"))).gateMs())
        .isEqualTo(Outcome.NO_GATE);
    assertThat(retried(decide(Answer.Status.of(500).withRetryAfter("2"))).delayMs())
        .isGreaterThan(2_000);
  }

  @Test
  void a429WithoutRetryAfterBacksOffByTheNumberOf429s() {
    AttemptFacts fourthInARow = new AttemptFacts(9, 3, 60_000);
    Outcome.Retry retry = retried(decide(Answer.Status.of(429), PLAIN, fourthInARow, 0.999999));
    assertThat(retry.delayMs()).isBetween(7_990L, 8_000L);
    assertThat(retry.gateMs()).isEqualTo(retry.delayMs());
  }

  @Test
  void aSmallRetryAfterNeverShortensTheBackoff() {
    AttemptFacts later = new AttemptFacts(6, 0, 60_000);
    assertThat(
            retried(decide(Answer.Status.of(503).withRetryAfter("1"), PLAIN, later, 0.5)).delayMs())
        .isGreaterThan(32_000);
  }

  @Test
  void theSixteenthFailureIsTheLast() {
    retried(decide(Answer.Status.of(500), PLAIN, new AttemptFacts(14, 0, 1000), 0));
    Outcome.Dead dead =
        dead(decide(Answer.Status.of(500), PLAIN, new AttemptFacts(15, 0, 1000), 0));
    assertThat(dead.reason()).isEqualTo("gave up: after 16 failures: status 500");
    assertThat(dead.health()).isEqualTo(Health.FAILING);
  }

  @Test
  void fiftyRateLimitsAreNoFailures() {
    AttemptFacts fiftieth = new AttemptFacts(15, 50, Duration.ofDays(2).toMillis());
    assertThat(retried(decide(Answer.Status.of(429), PLAIN, fiftieth, 0.5)).spends())
        .isEqualTo(Budget.RATE_LIMIT);
  }

  @Test
  void rateLimitsForSevenDaysAreTooLong() {
    AttemptFacts old = new AttemptFacts(0, 500, WEEK_MS - 1000);
    Outcome.Dead dead = dead(decide(Answer.Status.of(429).withRetryAfter("17"), PLAIN, old, 0));
    assertThat(Outcome.classOf(dead.reason())).isEqualTo("rate-limited too long");
    assertThat(dead.gateMs()).isEqualTo(17_000);
  }

  @ParameterizedTest
  @CsvSource({"429, UNTOLD", "503, FAILING"})
  void aWaitBeyondSevenDaysIsNotClippedButReconciled(int code, Health health) {
    Outcome outcome = decide(Answer.Status.of(code).withRetryAfter("604801"));
    Outcome.Reconcile reconcile = reconciled(outcome);
    assertThat(reconcile.askedDelayMs()).isEqualTo(604_801_000);
    assertThat(reconcile.gateMs()).isEqualTo(WEEK_MS);
    assertThat(reconcile.health()).isEqualTo(health);
    assertThat(Outcome.classOf(reconcile.reason())).isEqualTo("asked to wait beyond seven days");
  }

  @Test
  void sevenDaysSharpAreHonouredOnAFirstAttempt() {
    AttemptFacts first = new AttemptFacts(0, 0, 20);
    Outcome.Retry retry =
        retried(decide(Answer.Status.of(429).withRetryAfter("604800"), PLAIN, first, 0.5));
    assertThat(retry.delayMs()).isEqualTo(WEEK_MS);
    assertThat(retry.gateMs()).isEqualTo(WEEK_MS);
  }

  @Test
  void aFailureThatWouldBeRepeatedPastSevenDaysIsReconciled() {
    Outcome.Reconcile reconcile =
        reconciled(decide(Answer.Status.of(500), PLAIN, new AttemptFacts(3, 0, WEEK_MS), 0.5));
    assertThat(reconcile.reason()).isEqualTo("older than seven days: status 500");
    assertThat(reconcile.askedDelayMs()).isEqualTo(Outcome.NO_DELAY);
  }

  @ParameterizedTest
  @EnumSource(
      value = ErrorClass.class,
      names = {"DNS", "CONNECT", "TLS", "TIMEOUT", "RESET", "PROTOCOL", "UNKNOWN"})
  void whatWasNeverWrittenIsAPlainFailure(ErrorClass error) {
    Outcome.Retry retry = retried(decide(new Answer.NotSent(error, "x")));
    assertThat(retry.spends()).isEqualTo(Budget.FAILURE);
    assertThat(retry.ambiguous()).isFalse();
  }

  @Test
  void aBrokenCertificateIsAskedForOnALongStep() {
    assertThat(retried(decide(new Answer.NotSent(ErrorClass.CERTIFICATE, "expired"))).delayMs())
        .isGreaterThan(60_000);
  }

  @Test
  void noAnswerIsAmbiguousAndRetriedOrHeld() {
    Answer answer = new Answer.NoAnswer(ErrorClass.TIMEOUT, "no answer in 15 s");
    Outcome.Retry retry = retried(decide(answer));
    assertThat(retry.ambiguous()).isTrue();
    assertThat(retry.spends()).isEqualTo(Budget.FAILURE);

    Outcome.Reconcile held = reconciled(decide(answer, HOLDING, AttemptFacts.FIRST, 0));
    assertThat(held.reason()).isEqualTo("ambiguous: timeout: no answer in 15 s");
    assertThat(held.health()).isEqualTo(Health.FAILING);
  }

  @Test
  void ourOwnDoingCountsNowhere() {
    AttemptFacts last = new AttemptFacts(15, 0, 1000);
    Outcome.Retry local =
        retried(decide(new Answer.NotSent(ErrorClass.LOCAL, "queue full"), PLAIN, last, 0));
    assertThat(local.spends()).isEqualTo(Budget.NONE);
    Outcome.Retry drained =
        retried(decide(new Answer.NoAnswer(ErrorClass.DRAINED, "stopping"), PLAIN, last, 0));
    assertThat(drained.spends()).isEqualTo(Budget.NONE);
    assertThat(drained.ambiguous()).isTrue();
    assertThat(drained.delayMs()).isGreaterThanOrEqualTo(1_000);
    assertThat(
            reconciled(decide(new Answer.NoAnswer(ErrorClass.DRAINED, ""), HOLDING, last, 0))
                .reason())
        .isEqualTo("ambiguous: drained");
  }

  @Property
  void aRetryNeverComesSoonerThanAskedNorLaterThanSevenDays(
      @ForAll @IntRange(min = 400, max = 599) int code,
      @ForAll @LongRange(min = 0, max = 2_000_000) long askedSeconds,
      @ForAll @IntRange(min = 0, max = 15) int failures,
      @ForAll @IntRange(min = 0, max = 5_000) int rateLimits,
      @ForAll @LongRange(min = 0, max = 700_000_000) long ageMs,
      @ForAll @DoubleRange(min = 0, max = 0.99) double jitter) {
    Answer answer = Answer.Status.of(code).withRetryAfter(Long.toString(askedSeconds));
    Outcome outcome = decide(answer, PLAIN, new AttemptFacts(failures, rateLimits, ageMs), jitter);

    assertThat(outcome.gateMs()).isBetween(Outcome.NO_GATE, WEEK_MS);
    if (outcome instanceof Outcome.Retry retry) {
      assertThat(retry.delayMs()).isBetween(0L, WEEK_MS);
      assertThat(retry.delayMs()).isGreaterThanOrEqualTo(askedSeconds * 1000);
    }
    if (outcome instanceof Outcome.Reconcile reconcile && askedSeconds > 604_800) {
      assertThat(reconcile.askedDelayMs()).isEqualTo(askedSeconds * 1000);
    }
  }

  @Property
  void backoffStaysBetweenFloorAndCap(
      @ForAll @IntRange(min = 0, max = Integer.MAX_VALUE) int failures,
      @ForAll @DoubleRange(min = 0, max = 0.99) double jitter) {
    assertThat(Backoff.delayMs(RetryPolicy.DEFAULT, failures, jitter))
        .isBetween(100L, Duration.ofHours(1).toMillis());
  }

  @Test
  void backoffFillsTheWholeRangeAboveTheFloor() {
    assertThat(Backoff.delayMs(RetryPolicy.DEFAULT, 3, 0)).isEqualTo(100);
    assertThat(Backoff.delayMs(RetryPolicy.DEFAULT, 3, 0.5)).isEqualTo(4_050);
    assertThat(Backoff.delayMs(RetryPolicy.DEFAULT, 1_000, 0.5)).isEqualTo(1_800_050);
  }

  private static Outcome decide(int code) {
    return decide(Answer.Status.of(code));
  }

  private static Outcome decide(Answer answer) {
    return decide(answer, PLAIN, AttemptFacts.FIRST, 0.5);
  }

  private static Outcome decide(
      Answer answer, Subscriber subscriber, AttemptFacts facts, double jitter) {
    return Decision.decide(answer, subscriber, facts, NOW, jitter);
  }

  private static Outcome.Retry retried(Outcome outcome) {
    assertThat(outcome).isInstanceOf(Outcome.Retry.class);
    return (Outcome.Retry) outcome;
  }

  private static Outcome.Dead dead(Outcome outcome) {
    assertThat(outcome).isInstanceOf(Outcome.Dead.class);
    return (Outcome.Dead) outcome;
  }

  private static Outcome.Reconcile reconciled(Outcome outcome) {
    assertThat(outcome).isInstanceOf(Outcome.Reconcile.class);
    return (Outcome.Reconcile) outcome;
  }

  private static Subscriber subscriber(StatusPolicy policy, OnAmbiguous onAmbiguous) {
    return new Subscriber(
        "store_17",
        URI.create("https://store.example/hook"),
        "POST",
        "store_17",
        32,
        Subscriber.DEFAULT_TIMEOUT,
        RetryPolicy.DEFAULT,
        policy,
        onAmbiguous,
        Subscriber.DEFAULT_OBJECTIVE,
        Map.of(),
        false);
  }
}
