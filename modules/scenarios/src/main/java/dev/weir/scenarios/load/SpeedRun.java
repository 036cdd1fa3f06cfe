package dev.weir.scenarios.load;

import dev.weir.scenarios.load.Feeder.Call;
import io.vertx.core.json.JsonObject;
import java.time.Duration;

/** How fast a node drains a backlog into one endpoint that answers at once. */
final class SpeedRun {

  private static final String SUBSCRIBER = "sink";
  private static final Duration LIMIT = Duration.ofMinutes(10);

  private SpeedRun() {}

  static Figures run(LoadOptions options) {
    int messages = options.number("messages", 100_000);
    String body = "x".repeat(options.number("body", 250) - 2);
    try (Ground ground = Ground.prepare(options, false)) {
      ground
          .client()
          .put(
              "/v1/subscribers/" + SUBSCRIBER,
              new JsonObject()
                  .put("endpoint", ground.sink().url() + "/in")
                  .put("maxInFlight", options.number("inflight", 256)));
      ground.client().post("/v1/subscribers/" + SUBSCRIBER + "/pause", new JsonObject());

      LoadRuns.say("publishing " + messages);
      Figures figures = new Figures().put("run", "speed").put("endpoint", ground.sink().kind());
      Meter empty = ground.meter();
      ground
          .feeder()
          .each(
              messages,
              i ->
                  new Call(
                      "POST",
                      "/v1/queue/publish",
                      "{\"to\":\"sink\",\"id\":\"m-" + i + "\",\"body\":\"" + body + "\"}"));
      Meter full = ground.meter();
      double seconds = (full.atNanos() - empty.atNanos()) / 1e9;
      figures
          .put("publishesPerSecond", messages / seconds)
          .put("publishCommands", (double) (full.commands() - empty.commands()) / messages)
          .put("redisMb", Meter.residentMb(ground.node().redis().pid()));

      LoadRuns.say("published in " + Math.round(seconds) + " s; draining");
      ground.client().post("/v1/subscribers/" + SUBSCRIBER + "/resume", new JsonObject());
      ground.awaitDelivered(SUBSCRIBER, messages, LIMIT);
      ground.meter().tell(figures, full, messages);
      return figures.put("nodeMb", Meter.residentMb(ground.node().pid()));
    }
  }
}
