package dev.weir.scenarios;

import dev.weir.scenarios.text.TextTable;
import dev.weir.scenarios.text.Words;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** How each case ended. */
public record EvalReport(List<CaseResult> cases, long durationMs) {

  private static final int SHOWN_ATTEMPTS = 6;

  public EvalReport {
    cases = List.copyOf(cases);
  }

  /**
   * @param problem what did not hold; empty when all did
   * @param deliveries as the node shows them in the end, with their traces
   */
  public record CaseResult(
      String name, String claim, String problem, long durationMs, List<JsonObject> deliveries) {

    public CaseResult {
      deliveries = List.copyOf(deliveries);
    }

    public boolean passed() {
      return problem.isEmpty();
    }
  }

  public boolean passed() {
    return cases.stream().allMatch(CaseResult::passed);
  }

  public int exitCode() {
    return passed() ? 0 : 1;
  }

  public JsonObject toJson() {
    JsonArray list = new JsonArray();
    for (CaseResult result : cases) {
      list.add(
          new JsonObject()
              .put("case", result.name())
              .put("claim", result.claim())
              .put("passed", result.passed())
              .put("problem", result.passed() ? null : result.problem())
              .put("durationMs", result.durationMs())
              .put("deliveries", new JsonArray(result.deliveries())));
    }
    return new JsonObject()
        .put("passed", cases.stream().filter(CaseResult::passed).count())
        .put("failed", cases.stream().filter(result -> !result.passed()).count())
        .put("durationMs", durationMs)
        .put("cases", list);
  }

  public String render() {
    StringBuilder out = new StringBuilder();
    for (CaseResult result : cases) {
      out.append(result.passed() ? "pass  " : "FAIL  ")
          .append(result.name())
          .append("  (")
          .append(Words.seconds(result.durationMs()))
          .append(")\n      ")
          .append(result.claim())
          .append('\n');
      if (!result.passed()) {
        out.append("      ").append(result.problem().replace("\n", "\n      ")).append('\n');
      }
      result.deliveries().forEach(delivery -> out.append(trace(delivery).indent(6)));
      out.append('\n');
    }
    long passed = cases.stream().filter(CaseResult::passed).count();
    return out.append(passed)
        .append(" of ")
        .append(cases.size())
        .append(" cases passed in ")
        .append(Words.seconds(durationMs))
        .append('\n')
        .toString();
  }

  /** The attempts of one delivery; of many the first and the last. */
  static String trace(JsonObject delivery) {
    JsonArray attempts = delivery.getJsonArray("attempts", new JsonArray());
    String headline = delivery.getString("key") + " is " + delivery.getString("state");
    String reason = delivery.getString("reason");
    if (reason != null && !"done".equals(delivery.getString("state"))) {
      headline += ": " + reason;
    }
    if (attempts.isEmpty()) {
      return headline + ", no attempt";
    }
    TextTable table =
        new TextTable(
            ">attempt", "sent at", "answer", ">latency", "outcome", ">delay", "why", "settled at");
    for (int i = 0; i < attempts.size(); i++) {
      if (i < SHOWN_ATTEMPTS / 2 || i >= attempts.size() - SHOWN_ATTEMPTS / 2) {
        addRow(table, attempts.getJsonObject(i));
      }
    }
    return headline + "\n" + table.render();
  }

  private static void addRow(TextTable table, JsonObject attempt) {
    Integer status = attempt.getInteger("status");
    Long delayMs = attempt.getLong("delayMs");
    table.row(
        attempt.getInteger("attempt"),
        clock(attempt.getString("sentAt")),
        status == null ? attempt.getString("error", "") : status.toString(),
        attempt.getLong("latencyMs", 0L) + " ms",
        attempt.getString("outcome", ""),
        delayMs == null ? "" : delayMs + " ms",
        attempt.getString("why", ""),
        clock(attempt.getString("settledAt")));
  }

  /** The time of day of an RFC 3339 instant in UTC. */
  private static String clock(@Nullable String instant) {
    return instant == null || instant.length() < 23 ? "" : instant.substring(11, 23);
  }
}
