package dev.weir.receiver;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.domain.quota.Rate;
import dev.weir.receiver.Script.Ending;
import dev.weir.receiver.Script.RetryAfterForm;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ScriptReaderTest {

  @Test
  void everyFieldIsRead() {
    Script script =
        ScriptReader.read(
            """
            default: {status: 204}
            paths:
              - path: /orders
                rules:
                  - match: {every: 3, first: 9, from: 250ms, until: 1h, attempt: 2}
                    answer:
                      status: 503
                      headers: {Retry-After: 17, X-Why: "because"}
                      body: "not now"
                      delay: 15s
                      drip: {bytes: 2, every: 5min}
                  - answer: {rateLimit: {rate: 0.5/s, burst: 4, retryAfter: date}}
              - path: /below/*
                rules:
                  - match: {always: true}
                    answer: {resetAfterReading: true}
            """);

    assertThat(script.fallback().status()).isEqualTo(204);
    Script.PathScript orders = script.paths().get(0);
    Script.Answer refusal = orders.rules().get(0).answer();
    assertThat(orders.prefix()).isFalse();
    assertThat(orders.rules().get(0).match()).isEqualTo(new Script.Match(3, 9, 250, 3_600_000, 2));
    assertThat(refusal.status()).isEqualTo(503);
    assertThat(refusal.headers())
        .containsEntry("Retry-After", "17")
        .containsEntry("X-Why", "because");
    assertThat(refusal.body()).isEqualTo("not now");
    assertThat(refusal.delayMs()).isEqualTo(15_000);
    assertThat(refusal.drip()).isEqualTo(new Script.Drip(2, 300_000));
    assertThat(orders.rules().get(1).answer().limit())
        .isEqualTo(new Script.RateLimit(Rate.parse("0.5/s"), 4, RetryAfterForm.DATE));
    Script.PathScript below = script.paths().get(1);
    assertThat(below.prefix()).isTrue();
    assertThat(below.path()).isEqualTo("/below/");
    assertThat(below.rules().get(0).answer().ending()).isEqualTo(Ending.RESET);
  }

  @Test
  void jsonIsReadToo() {
    Script script =
        ScriptReader.read(
            "{\"paths\":[{\"path\":\"/x\",\"rules\":[{\"answer\":{\"status\":418}}]}]}");

    assertThat(script.paths().get(0).rules().get(0).answer().status()).isEqualTo(418);
  }

  @Test
  void anEmptyScriptAnswers200() {
    assertThat(ScriptReader.read("")).isEqualTo(Script.ALWAYS_OK);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "paths: [{path: orders}] | paths[0].path: must begin with /",
        "paths: [{path: /a*b}] | may end in *",
        "path: [] | script.path: is unknown; allowed: default, paths",
        "paths: {a: b} | script.paths: must be a list, was a map",
        "paths: [{path: /x, rules: [{answer: {stauts: 1}}]}]"
            + " | paths[0] '/x' rules[0].answer.stauts: is unknown; allowed: status",
        "paths: [{path: /x, rules: [{answer: {}}, {answer: {status: 99}}]}]"
            + " | paths[0] '/x' rules[1].answer.status: must be a whole number, 200 to 999, was '99'",
        "paths: [{path: /x, rules: [{match: {until: 5 s}, answer: {}}]}]"
            + " | rules[0].match.until: '5 s' is not a duration such as 250ms",
        "paths: [{path: /x, rules: [{match: {every: 0}, answer: {}}]}]"
            + " | rules[0].match.every: must be a whole number, 1 to",
        "paths: [{path: /x, rules: [{match: {always: false}, answer: {}}]}]"
            + " | match.always: can only be true",
        "paths: [{path: /x, rules: [{match: {first: 1}}]}] | rules[0].answer: is missing",
        "paths: [{path: /x, rules: [{answer: {rateLimit: {rate: fast}}}]}]"
            + " | rules[0].answer.rateLimit.rate: rate 'fast' is not of the form",
        "paths: [{path: /x, rules: [{answer: {rateLimit: {rate: 1/s, retryAfter: soon}}}]}]"
            + " | retryAfter: is seconds, date or none, not 'soon'",
        "paths: [{path: /x, rules: [{answer: {hang: true, closeBeforeAnswer: true}}]}]"
            + " | can't stand beside",
        "paths: [{path: /x}, {path: /x}] | paths[1].path: '/x' is there twice",
        "'paths: [' | neither YAML nor JSON",
      })
  void aMistakeIsNamedWithItsPlace(String script, String message) {
    assertThatThrownBy(() -> ScriptReader.read(script))
        .isInstanceOf(ScriptException.class)
        .hasMessageContaining(message);
  }
}
