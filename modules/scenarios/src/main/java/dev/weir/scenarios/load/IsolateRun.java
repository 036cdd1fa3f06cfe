package dev.weir.scenarios.load;

import dev.weir.scenarios.load.Feeder.Call;
import io.vertx.core.json.JsonObject;
import java.util.List;

/**
 * A subscriber at 50/s alone, then beside one that hangs with a long backlog and many that wait for
 * their tokens. It gets 40 messages a second, evenly, so that it never waits for a token of its
 * own.
 */
final class IsolateRun {

  private static final long EVERY_NANOS = 25_000_000;

  /** Else the breaker would soon leave one probe of the hanging one, and nothing to bear. */
  private static final String NO_BREAKER = "breaker:\n  failures: 1000\n  over: 1h\n";

  private IsolateRun() {}

  static Figures run(LoadOptions options) {
    int seconds = options.number("seconds", 30);
    int subscribers = options.number("subscribers", 1_000);
    int messages = options.number("messages", 1_000);
    int hanging = options.number("hanging", 50_000);
    Figures figures =
        new Figures()
            .put("run", "isolate")
            .put("subscribers", subscribers)
            .put("messagesEach", messages)
            .put("hanging", hanging);
    try (Ground ground = Ground.prepare(options, true, NO_BREAKER);
        HangingServer hangs = new HangingServer()) {
      figures.put("endpoint", ground.sink().kind());
      subscriber(ground, "steady", ground.sink().url(), "50/s");
      publishEvenly(ground, "warm", 10);
      publishEvenly(ground, "alone", seconds);
      LoadRuns.say("alone is measured; setting up the neighbours");

      subscriber(ground, "hanging", hangs.url(), "unlimited");
      Crowd crowd = new Crowd(ground, subscribers, "1/min");
      crowd.create();
      crowd.backlog(messages);
      ground
          .feeder()
          .each(
              hanging,
              i ->
                  new Call(
                      "POST",
                      "/v1/queue/publish",
                      "{\"to\":\"hanging\",\"id\":\"h-" + i + "\",\"body\":1}"));
      LoadRuns.pause(5_000);
      ground.awaitLogRewritten();
      LoadRuns.say("neighbours are there; measuring");
      long delivered = ground.delivered();
      Meter before = ground.meter();
      publishEvenly(ground, "beside", seconds);
      Meter after = ground.meter();
      long deliveries = ground.delivered() - delivered;
      LoadRuns.pause(2_000);

      double[] alone = latencies(ground, "alone");
      double[] beside = latencies(ground, "beside");
      figures.spread("aloneMs", alone).spread("besideMs", beside).p99Ratio(beside, alone);
      figures.put("attemptsWaitingOnHanging", ground.counts("hanging").getLong("inFlight"));
      after.tell(figures, before, deliveries);
      return figures;
    }
  }

  private static void subscriber(Ground ground, String name, String endpoint, String rate) {
    ground
        .client()
        .put(
            "/v1/subscribers/" + name,
            new JsonObject()
                .put("endpoint", endpoint)
                .put("rate", rate)
                .put("stampAttempts", true));
  }

  /** Each message says in its path which phase it belongs to and when it was published. */
  private static void publishEvenly(Ground ground, String phase, int seconds) {
    long begun = System.nanoTime();
    int count = (int) (seconds * 1_000_000_000L / EVERY_NANOS);
    ground
        .feeder()
        .each(
            count,
            i -> {
              long dueIn = begun + i * EVERY_NANOS - System.nanoTime();
              LoadRuns.pause(Math.max(0, dueIn / 1_000_000));
              String path = "/" + phase + "/" + System.currentTimeMillis();
              return new Call(
                  "POST",
                  "/v1/queue/publish",
                  "{\"to\":\"steady\",\"path\":\"" + path + "\",\"body\":1}");
            });
  }

  private static double[] latencies(Ground ground, String phase) {
    List<Sink.Sent> sent = ground.sink().sent();
    String prefix = "/" + phase + "/";
    return sent.stream()
        .filter(one -> one.path().startsWith(prefix))
        .mapToDouble(one -> one.sentAtMs() - Long.parseLong(one.path().substring(prefix.length())))
        .toArray();
  }
}
