package dev.weir.scenarios.faults;

import dev.weir.domain.quota.Rate;
import dev.weir.receiver.Arrival;
import dev.weir.receiver.Arrivals;
import dev.weir.receiver.RateEnvelope;
import dev.weir.scenarios.Progress;
import dev.weir.scenarios.SettleOrder;
import dev.weir.scenarios.faults.FaultPlan.Blow;
import dev.weir.scenarios.faults.Repeats.Window;
import dev.weir.scenarios.process.ReceiverProcess;
import dev.weir.scenarios.process.ScenarioException;
import dev.weir.scenarios.process.WeirProcess;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;

/** Strikes a node under load, again and again, and holds it to account afterwards. */
public final class Faults {

  /** Answers take a while, so that a blow always finds requests in flight. */
  private static final String SCRIPT =
      """
      default: {status: 200}
      paths:
        - {path: /steady, rules: [{answer: {delay: 30ms}}]}
        - {path: /brisk, rules: [{answer: {delay: 5ms}}]}
        - path: /flaky
          rules:
            - {match: {every: 7}, answer: {status: 503, delay: 10ms}}
            - {answer: {delay: 10ms}}
        - path: /picky
          rules:
            - {match: {every: 20}, answer: {status: 422}}
      """;

  private static final Map<String, String> RATES =
      Map.of("steady", "60/s", "brisk", "200/s", "flaky", "80/s", "picky", "100/s");

  /** The named points of a delivery's way, see the node's {@code Checkpoint}. */
  private static final List<String> POINTS =
      List.of("AFTER_CLAIM", "AFTER_WRITE", "AFTER_ANSWER", "AFTER_SETTLE");

  private static final Duration STOPS_WITHIN = Duration.ofSeconds(15);
  private static final Duration DRAIN_LIMIT = Duration.ofSeconds(30);
  private static final Duration SETTLED_WITHIN = Duration.ofSeconds(90);
  private static final Duration REDIS_BACK_WITHIN = Duration.ofSeconds(30);
  private static final int NAMED_PROBLEMS = 10;

  private final FaultPlan plan;
  private final Progress progress;
  private final Path dir;
  private final List<Window> blows = new ArrayList<>();
  private final List<String> problems = new ArrayList<>();

  private Faults(FaultPlan plan, Path dir, Progress progress) {
    this.plan = plan;
    this.dir = dir;
    this.progress = progress;
  }

  /**
   * Runs the plan; blocks until the end.
   *
   * @param dir gets data and logs, and keeps them
   */
  public static FaultReport run(FaultPlan plan, Path dir, Progress progress) {
    return new Faults(plan, dir, progress).run();
  }

  private FaultReport run() {
    try (ReceiverProcess receiver = ReceiverProcess.start(dir, SCRIPT);
        WeirProcess node = WeirProcess.start(dir, "node");
        Load load = new Load(node.client(), RATES.keySet().stream().sorted().toList())) {
      subscribe(node, receiver);
      load.start();
      Random random = new Random(plan.seed());
      for (int round = 1; round <= plan.rounds(); round++) {
        long spreadMs = plan.most().minus(plan.least()).toMillis();
        sleep(plan.least().toMillis() + (long) (random.nextDouble() * spreadMs));
        strike(node, round, random);
        progress.phase(
            "round "
                + round
                + " of "
                + plan.rounds()
                + ": "
                + load.accepted().size()
                + " accepted");
      }
      load.stop();
      awaitSettled(node, load.accepted().size());
      return judge(node, receiver, load);
    }
  }

  private static void subscribe(WeirProcess node, ReceiverProcess receiver) {
    RATES.forEach(
        (id, rate) ->
            node.client()
                .put(
                    "/v1/subscribers/" + id,
                    new JsonObject()
                        .put("endpoint", receiver.url("/" + id))
                        .put("rate", rate)
                        .put("timeout", "2s")
                        .put("retry", new JsonObject().put("base", "100ms").put("cap", "1s"))
                        .put("stampAttempts", true)));
  }

  private void strike(WeirProcess node, int round, Random random) {
    if (plan.blow() == Blow.KILL_NODE_AT_POINT && round > 1) {
      node.awaitStopAt(STOPS_WITHIN);
    }
    long fromMicros = nowMicros();
    switch (plan.blow()) {
      case KILL_NODE_AT_POINT -> {
        node.kill();
        blows.add(new Window(fromMicros, nowMicros()));
        if (round == plan.rounds()) {
          node.restart();
        } else {
          node.restartToStopAt(POINTS.get(round % POINTS.size()), 1 + random.nextInt(40));
        }
      }
      case KILL_NODE -> {
        node.kill();
        blows.add(new Window(fromMicros, nowMicros()));
        node.restart();
      }
      case TERMINATE_NODE -> {
        int code = node.terminate(DRAIN_LIMIT);
        blows.add(new Window(fromMicros, nowMicros()));
        require(code == 0 || code == 143, "the node ended with code %d after SIGTERM", code);
        node.restart();
      }
      case KILL_REDIS -> {
        node.redis().kill();
        awaitRedis(node);
        blows.add(new Window(fromMicros, nowMicros()));
      }
    }
  }

  private static void awaitRedis(WeirProcess node) {
    long deadlineNs = System.nanoTime() + REDIS_BACK_WITHIN.toNanos();
    // A kill is noticed a moment later: ready from before it must not pass for ready again.
    sleep(300);
    while (!node.client().ready()) {
      if (System.nanoTime() > deadlineNs) {
        throw new ScenarioException(
            "the node did not recover its Redis within "
                + REDIS_BACK_WITHIN.toSeconds()
                + " s:\n"
                + node.tail(20));
      }
      sleep(20);
    }
  }

  private static void awaitSettled(WeirProcess node, long accepted) {
    long deadlineNs = System.nanoTime() + SETTLED_WITHIN.toNanos();
    while (settled(node) < accepted && System.nanoTime() < deadlineNs) {
      sleep(200);
    }
  }

  private static long settled(WeirProcess node) {
    return node.client().list("/v1/subscribers").stream()
        .map(view -> view.getJsonObject("counts"))
        .mapToLong(counts -> counts.getLong("delivered") + counts.getLong("dead"))
        .sum();
  }

  private FaultReport judge(WeirProcess node, ReceiverProcess receiver, Load load) {
    JsonObject balance = node.client().get("/v1/balance");
    List<JsonObject> deliveries =
        load.accepted().values().parallelStream()
            .map(id -> node.client().delivery(id).json())
            .toList();
    Map<String, Integer> bursts = bursts(node);
    Arrivals arrivals = receiver.finish();
    long accepted = load.accepted().size();
    long delivered = balance.getLong("delivered");
    long dead = balance.getLong("dead");
    require(
        balance.getBoolean("holds"), "the balance does not hold: %s", balance.getValue("problems"));
    require(
        accepted == balance.getLong("accepted"),
        "the store counts %,d accepted, publishes were answered for %,d",
        balance.getLong("accepted"),
        accepted);
    require(
        accepted == delivered + dead,
        "accepted %,d is not delivered %,d + dead %,d",
        accepted,
        delivered,
        dead);
    checkDeliveries(deliveries, arrivals);
    Repeats repeats = Repeats.in(arrivals, blows);
    name(repeats.unexplained());
    double excess = excess(arrivals, bursts);
    return new FaultReport(
        plan,
        accepted,
        delivered,
        dead,
        balance.getLong("pending"),
        arrivals.count(),
        repeats.count(),
        load.refused(),
        load.unanswered(),
        excess,
        slowestReturnMs(arrivals),
        problems);
  }

  private void checkDeliveries(List<JsonObject> deliveries, Arrivals arrivals) {
    Map<String, List<Arrival>> byKey = arrivals.byKey();
    List<String> found = new ArrayList<>();
    for (JsonObject delivery : deliveries) {
      List<Arrival> arrived = byKey.getOrDefault(delivery.getString("key"), List.of());
      found.addAll(SettleOrder.violations(delivery, arrived));
      if (plan.blow() == Blow.TERMINATE_NODE) {
        found.addAll(countedForNothing(delivery, arrived));
      }
    }
    name(found);
    long unknown =
        byKey.keySet().size()
            - deliveries.stream().filter(d -> byKey.containsKey(d.getString("key"))).count();
    require(unknown == 0, "%,d keys arrived that nobody published", unknown);
  }

  /** A released delivery gives its attempt number back: the numbers stay those of requests. */
  private static List<String> countedForNothing(JsonObject delivery, List<Arrival> arrived) {
    JsonArray attempts = delivery.getJsonArray("attempts");
    long last =
        attempts.isEmpty() ? 0 : attempts.getJsonObject(attempts.size() - 1).getLong("attempt");
    return last <= arrived.size()
        ? List.of()
        : List.of(
            delivery.getString("key")
                + " counts "
                + last
                + " attempts, "
                + arrived.size()
                + " arrived");
  }

  private static Map<String, Integer> bursts(WeirProcess node) {
    Map<String, Integer> bursts = new LinkedHashMap<>();
    node.client()
        .list("/v1/subscribers")
        .forEach(view -> bursts.put(view.getString("id"), view.getInteger("burst")));
    return bursts;
  }

  private double excess(Arrivals arrivals, Map<String, Integer> bursts) {
    double worst = Double.NEGATIVE_INFINITY;
    for (Map.Entry<String, Integer> subscriber : bursts.entrySet()) {
      String id = subscriber.getKey();
      Rate rate = Rate.parse(String.valueOf(RATES.get(id)));
      double excess = arrivals.at("/" + id).excessAsSent(rate, subscriber.getValue());
      require(
          RateEnvelope.within(excess), "the quota of %s was exceeded by %.3f messages", id, excess);
      worst = Math.max(worst, excess);
    }
    return worst;
  }

  private long slowestReturnMs(Arrivals arrivals) {
    long slowest = 0;
    for (Window blow : blows) {
      long first =
          arrivals.all().stream()
              .mapToLong(Arrival::atMicros)
              .filter(at -> at > blow.untilMicros())
              .min()
              .orElse(blow.untilMicros());
      slowest = Math.max(slowest, (first - blow.untilMicros()) / 1_000);
    }
    return slowest;
  }

  private void name(List<String> found) {
    problems.addAll(found.subList(0, Math.min(NAMED_PROBLEMS, found.size())));
    require(found.size() <= NAMED_PROBLEMS, "and %,d more", found.size() - NAMED_PROBLEMS);
  }

  private void require(boolean holds, String problem, Object... values) {
    if (!holds) {
      problems.add(String.format(Locale.ROOT, problem, values));
    }
  }

  private static long nowMicros() {
    Instant now = Instant.now();
    return now.getEpochSecond() * 1_000_000 + now.getNano() / 1_000;
  }

  private static void sleep(long ms) {
    try {
      Thread.sleep(ms);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new ScenarioException("interrupted", e);
    }
  }
}
