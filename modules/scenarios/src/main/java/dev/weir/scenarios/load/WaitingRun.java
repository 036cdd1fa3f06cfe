package dev.weir.scenarios.load;

import dev.weir.scenarios.load.Feeder.Call;
import dev.weir.scenarios.process.ScenarioException;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.time.Instant;

/** Subscribers that wait for one delivery each; the node is restarted before the first is due. */
final class WaitingRun {

  private static final int TARGETS = 20;
  private static final Duration STOP_WITHIN = Duration.ofSeconds(60);

  private WaitingRun() {}

  static Figures run(LoadOptions options) {
    int subscribers = options.number("subscribers", 100_000);
    long spreadMs = 1_000L * options.number("spread", 120);
    Figures figures = new Figures().put("run", "waiting").put("subscribers", subscribers);
    try (Ground ground = Ground.prepare(options, true)) {
      figures.put("endpoint", ground.sink().kind());
      LoadRuns.say("creating " + subscribers + " subscribers");
      long begun = System.nanoTime();
      new Crowd(ground, subscribers, "1/h").create();
      figures.put("createdPerSecond", subscribers / seconds(begun));

      // All are due only after the restart, so the first is put off by what comes before it.
      long firstDueMs = System.currentTimeMillis() + 1_000L * options.number("lead", 60);
      LoadRuns.say("created in " + Math.round(seconds(begun)) + " s; publishing");
      long publishing = System.nanoTime();
      publish(ground, subscribers, firstDueMs, spreadMs);
      figures
          .put("publishSeconds", seconds(publishing))
          .put("nodeMbBefore", Meter.residentMb(ground.node().pid()))
          .put("redisMb", Meter.residentMb(ground.node().redis().pid()));

      long stopping = System.nanoTime();
      ground.node().terminate(STOP_WITHIN);
      figures.put("stopSeconds", seconds(stopping));
      long starting = System.nanoTime();
      ground.node().restart();
      figures.put("startSeconds", seconds(starting));
      long leftMs = firstDueMs - System.currentTimeMillis();
      if (leftMs < 0) {
        throw new ScenarioException(
            "restarted " + -leftMs + " ms after the first was due; give more --lead");
      }
      LoadRuns.say("restarted " + leftMs + " ms before the first is due");
      Meter before = ground.meter();
      LoadRuns.pause(leftMs + spreadMs / 2);
      figures.put("nodeMbHalfWay", Meter.residentMb(ground.node().pid()));
      LoadRuns.pause(spreadMs / 2 + 5_000);
      tellLateness(ground, subscribers, figures);
      ground.meter().tell(figures, before, subscribers);
      return figures.put("nodeMbAfter", Meter.residentMb(ground.node().pid()));
    }
  }

  private static double seconds(long sinceNanos) {
    return (System.nanoTime() - sinceNanos) / 1e9;
  }

  private static void publish(Ground ground, int subscribers, long firstDueMs, long spreadMs) {
    int messages = (subscribers + TARGETS - 1) / TARGETS;
    ground
        .feeder()
        .each(
            messages,
            i -> {
              long dueMs = firstDueMs + spreadMs * i / messages;
              int from = i * TARGETS;
              JsonObject publish =
                  new JsonObject()
                      .put("to", Crowd.targets(from, Math.min(TARGETS, subscribers - from)))
                      .put("id", "due-" + i)
                      .put("path", "/due/" + dueMs)
                      .put("deliverAt", Instant.ofEpochMilli(dueMs).toString())
                      .put("body", "it is time");
              return new Call("POST", "/v1/queue/publish", publish.encode());
            });
  }

  private static void tellLateness(Ground ground, int subscribers, Figures figures) {
    double[] late =
        ground.sink().sent().stream()
            .filter(sent -> sent.path().startsWith("/due/"))
            .mapToDouble(sent -> sent.sentAtMs() - Long.parseLong(sent.path().substring(5)))
            .toArray();
    long tooLate = java.util.Arrays.stream(late).filter(ms -> ms > 2_000).count();
    figures
        .put("sent", (long) late.length)
        .put("missing", (long) subscribers - late.length)
        .put("moreThan2sLate", tooLate)
        .spread("lateMs", late);
  }
}
