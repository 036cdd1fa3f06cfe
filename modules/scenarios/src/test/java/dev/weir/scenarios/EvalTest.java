package dev.weir.scenarios;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.receiver.ScriptReader;
import dev.weir.scenarios.EvalReport.CaseResult;
import dev.weir.scenarios.demo.Cast;
import dev.weir.scenarios.eval.Cases;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.List;
import org.junit.jupiter.api.Test;

class EvalTest {

  @Test
  void theReceiverUnderstandsTheScripts() {
    assertThat(ScriptReader.read(Eval.script(Cases.all())).paths()).hasSameSizeAs(Cases.all());
    assertThat(ScriptReader.read(Cast.SCRIPT).paths()).hasSize(3);
  }

  @Test
  void anUnknownCaseIsRefusedWithTheKnownOnes() {
    assertThatThrownBy(() -> Eval.run(new EvalOptions("nope"), Progress.SILENT))
        .hasMessageStartingWith("there is no case nope; there are retry-after-17, temporary-503");
  }

  @Test
  void aTraceShowsItsAttemptsAndWhyItStopped() {
    JsonObject delivery =
        new JsonObject()
            .put("key", "shp_1:store:1")
            .put("state", "dead")
            .put("reason", "422")
            .put(
                "attempts",
                new JsonArray()
                    .add(
                        new JsonObject()
                            .put("attempt", 1)
                            .put("sentAt", "2026-12-01T10:00:00.123Z")
                            .put("status", 422)
                            .put("latencyMs", 4)
                            .put("outcome", "dead")
                            .put("why", "422")
                            .put("settledAt", "2026-12-01T10:00:00.130Z")));

    assertThat(EvalReport.trace(delivery))
        .isEqualTo(
            """
            shp_1:store:1 is dead: 422
            attempt  sent at       answer  latency  outcome  delay  why  settled at
                  1  10:00:00.123  422        4 ms  dead            422  10:00:00.130
            """);
  }

  @Test
  void oneFailureFailsTheRunAndSaysWhy() {
    EvalReport report =
        new EvalReport(
            List.of(
                new CaseResult("a", "holds", "", 10, List.of()),
                new CaseResult("b", "holds too", "it did not", 20, List.of())),
            30);

    assertThat(report.exitCode()).isOne();
    assertThat(report.render()).contains("FAIL  b").contains("it did not").contains("1 of 2 cases");
    assertThat(report.toJson().getLong("failed")).isOne();
  }
}
