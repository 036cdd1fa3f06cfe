package dev.weir.scenarios.demo;

import dev.weir.domain.quota.Rate;
import dev.weir.receiver.Arrival;
import dev.weir.receiver.Arrivals;
import dev.weir.receiver.RateEnvelope;
import dev.weir.scenarios.DemoReport;
import dev.weir.scenarios.DemoReport.QuotaLine;
import dev.weir.scenarios.DemoReport.SubscriberLine;
import dev.weir.scenarios.SettleOrder;
import io.vertx.core.json.JsonObject;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Predicate;

/**
 * Holds what was published, what the node says and what arrived against each other. Every number of
 * the report comes from the side that knows it best, and any disagreement is a problem.
 */
public final class Verdict {

  private static final int NAMED_PROBLEMS = 10;

  private final Facts facts;
  private final Arrivals arrivals;
  private final Map<String, List<Arrival>> byKey;
  private final List<String> problems = new ArrayList<>();

  private Verdict(Facts facts) {
    this.facts = facts;
    this.arrivals = facts.arrivals();
    this.byKey = arrivals.byKey();
  }

  /**
   * @param accepted what publishes were answered 202 for, by idempotency key
   * @param deliveries as the node shows each, in the end
   * @param subscribers their views, in the end
   * @param quotas rate and burst by quota id
   * @param balance as the node recounts it
   */
  public record Facts(
      Map<String, Accepted> accepted,
      List<JsonObject> deliveries,
      List<JsonObject> subscribers,
      Map<String, Allowance> quotas,
      JsonObject balance,
      Arrivals arrivals,
      long durationMs) {}

  public record Accepted(String subscriber, String bodySha256) {}

  public record Allowance(Rate rate, int burst) {}

  public static DemoReport of(Facts facts) {
    return new Verdict(facts).judge();
  }

  private DemoReport judge() {
    JsonObject balance = facts.balance();
    long accepted = facts.accepted().size();
    long delivered = balance.getLong("delivered");
    long dead = balance.getLong("dead");
    long pending = accepted - delivered - dead;
    require(
        accepted == delivered + dead,
        "accepted %,d is not delivered %,d + dead %,d",
        accepted,
        delivered,
        dead);
    require(
        balance.getLong("pending") == 0, "%,d deliveries are pending", balance.getLong("pending"));
    require(
        balance.getLong("accepted") == accepted,
        "the store counts %,d accepted, publishes were answered for %,d",
        balance.getLong("accepted"),
        accepted);
    require(
        balance.getBoolean("holds"), "the balance does not hold: %s", balance.getValue("problems"));
    compareWithReceiver(delivered);
    long bodiesChanged = bodiesChanged();
    long violations = settleOrderViolations();
    List<QuotaLine> quotas = quotas();
    return new DemoReport(
        accepted,
        delivered,
        dead,
        pending,
        arrivals.count(),
        arrivals.countOf(429),
        violations,
        bodiesChanged,
        repeatsAfterAcceptance(),
        facts.durationMs(),
        quotas,
        subscribers(),
        problems);
  }

  private void compareWithReceiver(long delivered) {
    long acceptedKeys =
        byKey.values().stream().filter(all -> all.stream().anyMatch(Arrival::accepted)).count();
    require(
        acceptedKeys == delivered,
        "the store counts %,d delivered, the receiver accepted %,d keys",
        delivered,
        acceptedKeys);
    long unknown =
        byKey.keySet().stream().filter(key -> !facts.accepted().containsKey(key)).count();
    require(unknown == 0, "%,d keys arrived that nobody published", unknown);
    long unnamed = arrivals.where(arrival -> arrival.key() == null).count();
    require(unnamed == 0, "%,d requests arrived without an Idempotency-Key", unnamed);
    require(arrivals.stamped(), "not every request carried a Weir-Sent-At, so pace is not proved");
  }

  private long bodiesChanged() {
    long changed =
        arrivals.all().stream()
            .filter(
                arrival -> {
                  Accepted published = facts.accepted().get(String.valueOf(arrival.key()));
                  return published != null && !published.bodySha256().equals(arrival.bodySha256());
                })
            .count();
    require(changed == 0, "%,d bodies arrived changed", changed);
    return changed;
  }

  private long settleOrderViolations() {
    List<String> found = new ArrayList<>();
    for (JsonObject delivery : facts.deliveries()) {
      List<Arrival> arrived = byKey.getOrDefault(delivery.getString("key"), List.of());
      found.addAll(SettleOrder.violations(delivery, arrived));
    }
    problems.addAll(found.subList(0, Math.min(NAMED_PROBLEMS, found.size())));
    require(
        facts.deliveries().size() == facts.accepted().size(),
        "the node shows %,d of %,d deliveries",
        facts.deliveries().size(),
        facts.accepted().size());
    return found.size();
  }

  private long repeatsAfterAcceptance() {
    long repeats =
        byKey.values().stream()
            .mapToLong(all -> all.stream().filter(Arrival::accepted).count() - 1)
            .filter(extra -> extra > 0)
            .sum();
    require(repeats == 0, "%,d requests repeated one that was accepted", repeats);
    return repeats;
  }

  private List<QuotaLine> quotas() {
    List<QuotaLine> lines = new ArrayList<>();
    facts
        .quotas()
        .forEach(
            (id, allowance) -> {
              Arrivals paced = arrivals.where(ofAny(pathsOf(id)));
              double excess = paced.excessAsSent(allowance.rate(), allowance.burst());
              lines.add(
                  new QuotaLine(
                      id,
                      allowance.rate().toString(),
                      allowance.burst(),
                      paced.count(),
                      excess,
                      paced.excessAsArrived(allowance.rate(), allowance.burst())));
              require(
                  RateEnvelope.within(excess),
                  "quota %s was exceeded by %.3f messages in a window",
                  id,
                  excess);
            });
    return lines;
  }

  private static List<String> pathsOf(String quota) {
    return Cast.MEMBERS.stream()
        .filter(member -> member.quotaId().equals(quota))
        .map(Cast.Member::path)
        .toList();
  }

  private static Predicate<Arrival> ofAny(Collection<String> paths) {
    return arrival -> paths.contains(arrival.path());
  }

  private List<SubscriberLine> subscribers() {
    Map<String, JsonObject> views = new LinkedHashMap<>();
    facts.subscribers().forEach(view -> views.put(view.getString("id"), view));
    List<SubscriberLine> lines = new ArrayList<>();
    for (Cast.Member member : Cast.MEMBERS) {
      JsonObject counts =
          views
              .getOrDefault(member.id(), new JsonObject())
              .getJsonObject("counts", new JsonObject());
      Arrivals arrived = arrivals.at(member.path());
      long good = arrived.where(Arrival::accepted).count();
      lines.add(
          new SubscriberLine(
              member.id(),
              member.quotaId(),
              counts.getLong("accepted", 0L),
              counts.getLong("delivered", 0L),
              counts.getLong("dead", 0L),
              arrived.count(),
              arrived.countOf(429),
              arrived.count() - good - arrived.countOf(429),
              arrived.delays()));
    }
    return lines;
  }

  private void require(boolean holds, String problem, Object... values) {
    if (!holds) {
      problems.add(String.format(Locale.ROOT, problem, values));
    }
  }
}
