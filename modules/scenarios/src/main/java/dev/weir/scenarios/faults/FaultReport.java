package dev.weir.scenarios.faults;

import dev.weir.scenarios.text.TextTable;
import dev.weir.scenarios.text.Words;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.List;
import java.util.Locale;

/**
 * How rounds of faults ended.
 *
 * @param repeats requests that repeated one the receiver had taken
 * @param refused publishes answered 503, all handed in again
 * @param unanswered publishes that got no answer, all handed in again
 * @param excess largest over the quotas of all subscribers, in messages; 0 or below is within
 * @param slowestReturnMs longest time from the end of a blow to the next arrival
 */
public record FaultReport(
    FaultPlan plan,
    long accepted,
    long delivered,
    long dead,
    long pending,
    long attempts,
    long repeats,
    long refused,
    long unanswered,
    double excess,
    long slowestReturnMs,
    List<String> problems) {

  public FaultReport {
    problems = List.copyOf(problems);
  }

  public boolean passed() {
    return problems.isEmpty();
  }

  public JsonObject toJson() {
    return new JsonObject()
        .put("blow", plan.blow().name().toLowerCase(Locale.ROOT))
        .put("rounds", plan.rounds())
        .put("seed", plan.seed())
        .put("accepted", accepted)
        .put("delivered", delivered)
        .put("dead", dead)
        .put("pending", pending)
        .put("attempts", attempts)
        .put("repeats", repeats)
        .put("publishesRefused", refused)
        .put("publishesUnanswered", unanswered)
        .put("excess", excess)
        .put("slowestReturnMs", slowestReturnMs)
        .put("passed", passed())
        .put("problems", new JsonArray(problems));
  }

  public String render() {
    String table =
        new TextTable(plan.blow().name().toLowerCase(Locale.ROOT), ">" + plan.rounds() + " rounds")
            .row("accepted", Words.count(accepted))
            .row("delivered", Words.count(delivered))
            .row("dead", Words.count(dead))
            .row("pending", Words.count(pending))
            .row("attempts", Words.count(attempts))
            .row("repeats, in flight at a blow", Words.count(repeats))
            .row("publishes refused with 503", Words.count(refused))
            .row("publishes without an answer", Words.count(unanswered))
            .row("largest excess over any quota", String.format(Locale.ROOT, "%.3f", excess))
            .row("slowest return", Words.count(slowestReturnMs) + " ms")
            .render();
    return passed()
        ? table + "passed\n"
        : table + "failed:\n  - " + String.join("\n  - ", problems) + "\n";
  }
}
