package dev.weir.node;

import dev.weir.domain.outcome.Answer;
import dev.weir.domain.outcome.Outcome;
import dev.weir.protocol.store.InspectionStore.Totals;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * What this node counts. Every label has a bounded set of values: a class, a state, a reason's
 * first words; nothing per subscriber, message or host. Thread-safe.
 */
public final class NodeMetrics {

  /** Reasons are few by design; should a new one carry a detail, it is counted under this. */
  private static final String OTHER = "other";

  private static final int MAX_REASONS = 100;

  private final MeterRegistry registry;
  private final Counter delivered;
  private final Counter rateLimited;
  private final Counter backstop;
  private final Map<String, Counter> attempts = new ConcurrentHashMap<>();
  private final Map<String, Counter> retries = new ConcurrentHashMap<>();
  private final Map<String, Counter> dead = new ConcurrentHashMap<>();
  private volatile @Nullable Reading latest;

  public NodeMetrics(MeterRegistry registry) {
    this.registry = registry;
    this.delivered = registry.counter("weir.delivered");
    this.rateLimited = registry.counter("weir.rate.limited");
    this.backstop = registry.counter("weir.backstop");
    state("ready", Totals::ready);
    state("delayed", Totals::delayed);
    state("in_flight", Totals::inFlight);
    state("dead", Totals::dead);
    state("reconciling", Totals::reconciling);
    FunctionCounter.builder("weir.accepted", this, metrics -> metrics.read(Totals::accepted))
        .description("deliveries accepted, by the store's count over all nodes")
        .register(registry);
    gauge("weir.subscribers", Totals::subscribers);
    gauge("weir.store.memory.bytes", Totals::memoryUsed);
    Gauge.builder("weir.oldest.ready.age.seconds", this, NodeMetrics::oldestReadySeconds)
        .register(registry);
  }

  /** An attempt has ended with this answer and comes to this outcome. */
  void attempted(Answer answer, Outcome outcome) {
    counter(attempts, "weir.attempts", "class", answerClass(answer)).increment();
    if (answer instanceof Answer.Status status && status.code() == 429) {
      rateLimited.increment();
    }
    if (outcome instanceof Outcome.Retry) {
      counter(retries, "weir.retries.scheduled", "reason", Outcome.classOf(outcome.reason()))
          .increment();
    }
    if (outcome instanceof Outcome.Dead) {
      counter(dead, "weir.dead", "reason", Outcome.classOf(outcome.reason())).increment();
    }
  }

  /** The ledger has it, by this node's doing. */
  void delivered() {
    delivered.increment();
  }

  /** The store's own pacing check refused a claim: it never should in health. */
  void backstopFired() {
    backstop.increment();
  }

  void totals(Totals now) {
    latest = new Reading(now, System.nanoTime());
  }

  /** A bounded name for an answer. */
  static String answerClass(Answer answer) {
    if (answer instanceof Answer.Status status) {
      int code = status.code();
      if (code == 429) {
        return "429";
      }
      return code >= 200 && code < 600 ? code / 100 + "xx" : "error";
    }
    return answer instanceof Answer.NoAnswer ? "ambiguous" : "error";
  }

  private Counter counter(Map<String, Counter> known, String name, String label, String value) {
    Counter counter = known.get(value);
    if (counter != null) {
      return counter;
    }
    String bounded = known.size() < MAX_REASONS ? value : OTHER;
    return known.computeIfAbsent(bounded, first -> registry.counter(name, label, bounded));
  }

  private void state(String state, ToLongFunction<Totals> value) {
    Gauge.builder("weir.deliveries", this, metrics -> metrics.read(value))
        .tag("state", state)
        .register(registry);
  }

  private void gauge(String name, ToLongFunction<Totals> value) {
    Gauge.builder(name, this, metrics -> metrics.read(value)).register(registry);
  }

  private double read(ToLongFunction<Totals> value) {
    Reading known = latest;
    return known == null ? Double.NaN : value.applyAsLong(known.totals);
  }

  private double oldestReadySeconds() {
    Reading known = latest;
    return known == null ? Double.NaN : known.oldestReadySeconds(System.nanoTime());
  }

  /** What waits goes on ageing between two readings. */
  private record Reading(Totals totals, long atNanos) {
    double oldestReadySeconds(long nowNanos) {
      long then = totals.oldestReadyMs();
      return then < 0 ? 0 : then / 1_000.0 + (nowNanos - atNanos) / 1e9;
    }
  }
}
