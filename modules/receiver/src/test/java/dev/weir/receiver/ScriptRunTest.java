package dev.weir.receiver;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class ScriptRunTest {

  private static final Instant NOW = Instant.parse("2026-12-06T09:08:07Z");
  private static final long SECOND_NS = 1_000_000_000L;

  @Test
  void theFirstRuleThatMatchesAnswers() {
    ScriptRun run =
        run(
            """
            paths:
              - path: /x
                rules:
                  - match: {first: 2}
                    answer: {status: 503}
                  - match: {every: 3}
                    answer: {status: 422}
            """);

    assertThat(IntStream.range(0, 6).map(i -> run.answer("/x", 1, 0, NOW).status()))
        .containsExactly(503, 503, 422, 200, 200, 422);
  }

  @Test
  void timeRulesHoldFromAndUntilSinceTheStart() {
    ScriptRun run =
        run(
            "{paths: [{path: /x, rules: [{match: {from: 1s, until: 3s}, answer: {status: 500}}]}]}");

    assertThat(run.answer("/x", 1, SECOND_NS - 1, NOW).status()).isEqualTo(200);
    assertThat(run.answer("/x", 1, SECOND_NS, NOW).status()).isEqualTo(500);
    assertThat(run.answer("/x", 1, 3 * SECOND_NS, NOW).status()).isEqualTo(200);
  }

  @Test
  void anAttemptNumberPicksItsRule() {
    ScriptRun run =
        run("{paths: [{path: /x, rules: [{match: {attempt: 1}, answer: {status: 503}}]}]}");

    assertThat(run.answer("/x", 1, 0, NOW).status()).isEqualTo(503);
    assertThat(run.answer("/x", 2, 0, NOW).status()).isEqualTo(200);
  }

  @Test
  void anExactPathComesBeforeAPrefixAndALongPrefixBeforeAShortOne() {
    ScriptRun run =
        run(
            """
            paths:
              - {path: /*, rules: [{answer: {status: 201}}]}
              - {path: /a/*, rules: [{answer: {status: 202}}]}
              - {path: /a/b, rules: [{answer: {status: 203}}]}
            """);

    assertThat(run.answer("/a/b", 1, 0, NOW).status()).isEqualTo(203);
    assertThat(run.answer("/a/c", 1, 0, NOW).status()).isEqualTo(202);
    assertThat(run.answer("/z", 1, 0, NOW).status()).isEqualTo(201);
  }

  @Test
  void aRealLimitAnswers429WithTheSecondsUntilItWouldTakeOne() {
    ScriptRun run =
        run("{paths: [{path: /x, rules: [{answer: {rateLimit: {rate: 0.4/s, burst: 2}}}]}]}");

    assertThat(run.answer("/x", 1, 0, NOW).status()).isEqualTo(200);
    assertThat(run.answer("/x", 1, 0, NOW).status()).isEqualTo(200);
    Script.Answer refused = run.answer("/x", 1, 0, NOW);
    assertThat(refused.status()).isEqualTo(429);
    assertThat(refused.headers()).containsEntry("Retry-After", "3");
    assertThat(run.answer("/x", 1, 3 * SECOND_NS, NOW).status()).isEqualTo(200);
    assertThat(run.answer("/x", 1, 3 * SECOND_NS, NOW).status()).isEqualTo(429);
  }

  @Test
  void aRealLimitCanSpeakInDatesThatAreNeverTooEarly() {
    ScriptRun run =
        run("{paths: [{path: /x, rules: [{answer: {rateLimit: {rate: 1/s, retryAfter: date}}}]}]}");
    run.answer("/x", 1, 0, NOW);

    assertThat(run.answer("/x", 1, 1, NOW.plusMillis(900)).headers())
        .containsEntry("Retry-After", "Sun, 06 Dec 2026 09:08:09 GMT")
        .containsEntry("Date", "Sun, 06 Dec 2026 09:08:07 GMT");
  }

  @Test
  void datesInHeadersCountFromTheAnswer() {
    ScriptRun run =
        run("{paths: [{path: /x, rules: [{answer: {headers: {Retry-After: '{date+17s}'}}}]}]}");

    assertThat(run.answer("/x", 1, 0, NOW).headers())
        .containsEntry("Retry-After", "Sun, 06 Dec 2026 09:08:24 GMT");
  }

  private static ScriptRun run(String yaml) {
    return new ScriptRun(ScriptReader.read(yaml), 0);
  }
}
