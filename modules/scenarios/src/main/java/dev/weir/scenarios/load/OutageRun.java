package dev.weir.scenarios.load;

import dev.weir.receiver.Arrival;
import dev.weir.scenarios.load.Feeder.Call;
import dev.weir.scenarios.process.ReceiverProcess;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.util.List;
import java.util.StringJoiner;

/** An endpoint that is down for a while: how often is it asked, and how does it come back? */
final class OutageRun {

  private static final String SUBSCRIBER = "store";

  /** Short pauses, so that a minute shows what ten minutes do under the defaults. */
  private static final String QUICK_BREAKER =
      "breaker:\n  over: 2s\n  firstPause: 1s\n  longestPause: 8s\n";

  private OutageRun() {}

  static Figures run(LoadOptions options) {
    int downSeconds = options.number("down", 60);
    int messages = options.number("messages", 3_000);
    boolean quick = options.text("breaker", "quick").equals("quick");
    String script =
        "paths:\n  - path: /store\n    rules:\n      - match: {until: "
            + downSeconds
            + "s}\n        answer: {status: 503}\n";
    try (Ground ground = Ground.prepare(options, false, quick ? QUICK_BREAKER : "");
        ReceiverProcess receiver = ReceiverProcess.start(ground.dir(), script)) {
      ground
          .client()
          .put(
              "/v1/subscribers/" + SUBSCRIBER,
              new JsonObject()
                  .put("endpoint", receiver.url("/store"))
                  .put("rate", options.text("rate", "50/s"))
                  .put("stampAttempts", true));
      ground.client().post("/v1/subscribers/" + SUBSCRIBER + "/pause", new JsonObject());
      ground
          .feeder()
          .each(
              messages,
              i ->
                  new Call(
                      "POST",
                      "/v1/queue/publish",
                      "{\"to\":\"store\",\"id\":\"o-" + i + "\",\"body\":1}"));
      LoadRuns.say("published; the endpoint is down for " + downSeconds + " s");
      receiver.client().script(script);
      ground.client().post("/v1/subscribers/" + SUBSCRIBER + "/resume", new JsonObject());
      Duration limit = Duration.ofSeconds(2L * downSeconds + messages / 10 + 400);
      ground.awaitDelivered(SUBSCRIBER, messages, limit);
      JsonObject counts = ground.counts(SUBSCRIBER);
      return tell(receiver.finish().all(), counts)
          .put("downSeconds", downSeconds)
          .put("breaker", quick ? "quick" : "default");
    }
  }

  private static Figures tell(List<Arrival> all, JsonObject counts) {
    List<Arrival> failed = all.stream().filter(a -> a.hasStatus(503)).toList();
    List<Arrival> taken = all.stream().filter(Arrival::accepted).toList();
    long first = all.get(0).atMicros();
    long back = taken.get(0).atMicros();
    StringJoiner alone = new StringJoiner(" ");
    for (int i = 1; i < failed.size(); i++) {
      // What comes a second or more after the one before is a probe; the rest is the first burst.
      if (failed.get(i).atMicros() - failed.get(i - 1).atMicros() > 900_000) {
        alone.add(String.valueOf((failed.get(i).atMicros() - first) / 1_000_000));
      }
    }
    StringJoiner ramp = new StringJoiner(" ");
    for (int second = 0; second < 15; second++) {
      long from = back + second * 1_000_000L;
      ramp.add(
          String.valueOf(
              taken.stream()
                  .filter(a -> a.atMicros() >= from && a.atMicros() < from + 1_000_000)
                  .count()));
    }
    return new Figures()
        .put("run", "outage")
        .put("failedAttempts", (long) failed.size())
        .put("probesAtSecond", alone.toString())
        .put("backAfterSeconds", (back - first) / 1e6)
        .put("takenPerSecondFromThere", ramp.toString())
        .put("delivered", counts.getLong("delivered"))
        .put("dead", counts.getLong("dead"))
        .put("attempts", (long) all.size());
  }
}
