package dev.weir.scenarios;

import dev.weir.receiver.DelaySpread;
import dev.weir.receiver.RateEnvelope;
import dev.weir.scenarios.text.TextTable;
import dev.weir.scenarios.text.Words;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.List;
import java.util.Locale;

/**
 * How the demo ended.
 *
 * @param accepted deliveries that publishes were answered 202 for
 * @param delivered as the store says, recounted
 * @param dead as the store says, recounted
 * @param pending all that is neither, reconciling ones included
 * @param attempts requests that arrived
 * @param problems what is not as it must be, each in a sentence; empty when the demo passed
 */
public record DemoReport(
    long accepted,
    long delivered,
    long dead,
    long pending,
    long attempts,
    long status429,
    long settleOrderViolations,
    long bodiesChanged,
    long repeatsAfterAcceptance,
    long durationMs,
    List<QuotaLine> quotas,
    List<SubscriberLine> subscribers,
    List<String> problems) {

  public DemoReport {
    quotas = List.copyOf(quotas);
    subscribers = List.copyOf(subscribers);
    problems = List.copyOf(problems);
  }

  /**
   * @param excess messages over the allowance in the worst of all windows, by sent-at stamp;
   *     negative is room that was left
   * @param excessAsArrived the same by arrival, which delays on the way can push above 0
   */
  public record QuotaLine(
      String quota, String rate, int burst, long attempts, double excess, double excessAsArrived) {}

  public record SubscriberLine(
      String subscriber,
      String quota,
      long accepted,
      long delivered,
      long dead,
      long attempts,
      long status429,
      long otherFailures,
      DelaySpread delays) {}

  public boolean passed() {
    return problems.isEmpty();
  }

  public int exitCode() {
    return passed() ? 0 : 1;
  }

  /** 0 when no window of any quota held more than its allowance. */
  public double maxExcess() {
    return overAllowance(quotas.stream().mapToDouble(QuotaLine::excess).max().orElse(0));
  }

  private double maxExcessAsArrived() {
    return overAllowance(quotas.stream().mapToDouble(QuotaLine::excessAsArrived).max().orElse(0));
  }

  private static double overAllowance(double excess) {
    return RateEnvelope.within(excess) ? 0 : Math.round(excess * 1e6) / 1e6;
  }

  public JsonObject toJson() {
    JsonArray quotaList = new JsonArray();
    quotas.forEach(line -> quotaList.add(json(line)));
    JsonArray subscriberList = new JsonArray();
    subscribers.forEach(line -> subscriberList.add(json(line)));
    return new JsonObject()
        .put("accepted", accepted)
        .put("delivered", delivered)
        .put("dead", dead)
        .put("pending", pending)
        .put("attempts", attempts)
        .put("status429", status429)
        .put("maxExcess", maxExcess())
        .put("settleOrderViolations", settleOrderViolations)
        .put("durationMs", durationMs)
        .put("passed", passed())
        .put("maxExcessAsArrived", maxExcessAsArrived())
        .put("bodiesChanged", bodiesChanged)
        .put("repeatsAfterAcceptance", repeatsAfterAcceptance)
        .put("quotas", quotaList)
        .put("subscribers", subscriberList)
        .put("problems", new JsonArray(problems));
  }

  private static JsonObject json(QuotaLine line) {
    return new JsonObject()
        .put("quota", line.quota())
        .put("rate", line.rate())
        .put("burst", line.burst())
        .put("attempts", line.attempts())
        .put("excess", line.excess())
        .put("excessAsArrived", line.excessAsArrived());
  }

  private static JsonObject json(SubscriberLine line) {
    return new JsonObject()
        .put("subscriber", line.subscriber())
        .put("quota", line.quota())
        .put("accepted", line.accepted())
        .put("delivered", line.delivered())
        .put("dead", line.dead())
        .put("attempts", line.attempts())
        .put("status429", line.status429())
        .put("otherFailures", line.otherFailures())
        .put("delayMedianMicros", line.delays().medianNs() / 1_000)
        .put("delayP99Micros", line.delays().p99Ns() / 1_000)
        .put("delayMaxMicros", line.delays().maxNs() / 1_000);
  }

  public String render() {
    StringBuilder out = new StringBuilder();
    out.append(totals()).append('\n').append(subscriberTable()).append('\n').append(quotaTable());
    if (passed()) {
      return out.append(
              "\nPassed: every accepted delivery ended delivered or dead, no quota was exceeded in"
                  + " any window,\nnothing was settled before its answer, no body changed.\n")
          .toString();
    }
    out.append("\nFailed:\n");
    problems.forEach(problem -> out.append("  - ").append(problem).append('\n'));
    return out.toString();
  }

  private String totals() {
    return new TextTable("total", ">")
        .row("accepted", Words.count(accepted))
        .row("delivered", Words.count(delivered))
        .row("dead", Words.count(dead))
        .row("pending", Words.count(pending))
        .row("attempts", Words.count(attempts))
        .row("429s", Words.count(status429))
        .row("largest excess over any quota", excess(maxExcess()))
        .row("early acknowledgements", Words.count(settleOrderViolations))
        .row("bodies changed", Words.count(bodiesChanged))
        .row("sent again after acceptance", Words.count(repeatsAfterAcceptance))
        .row("duration", Words.seconds(durationMs))
        .render();
  }

  private String subscriberTable() {
    TextTable table =
        new TextTable(
            "subscriber",
            "quota",
            ">accepted",
            ">delivered",
            ">dead",
            ">attempts",
            ">429s",
            ">other failures",
            ">delay p50",
            ">p99",
            ">max");
    for (SubscriberLine line : subscribers) {
      table.row(
          line.subscriber(),
          line.quota(),
          Words.count(line.accepted()),
          Words.count(line.delivered()),
          Words.count(line.dead()),
          Words.count(line.attempts()),
          Words.count(line.status429()),
          Words.count(line.otherFailures()),
          Words.span(line.delays().medianNs()),
          Words.span(line.delays().p99Ns()),
          Words.span(line.delays().maxNs()));
    }
    return table.render();
  }

  private String quotaTable() {
    TextTable table =
        new TextTable("quota", ">rate", ">burst", ">attempts", ">excess as sent", ">as arrived");
    for (QuotaLine line : quotas) {
      table.row(
          line.quota(),
          line.rate(),
          line.burst(),
          Words.count(line.attempts()),
          excess(line.excess()),
          excess(line.excessAsArrived()));
    }
    return table.render()
        + "(an excess below 0 is allowance that was left in the fullest window)\n";
  }

  private static String excess(double messages) {
    return messages == 0 ? "0" : String.format(Locale.ROOT, "%.3f", messages);
  }
}
