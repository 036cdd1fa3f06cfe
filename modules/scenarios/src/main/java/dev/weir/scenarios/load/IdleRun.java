package dev.weir.scenarios.load;

/** Subscribers with a backlog that wait for their next token: what does the waiting cost? */
final class IdleRun {

  private IdleRun() {}

  static Figures run(LoadOptions options) {
    int subscribers = options.number("subscribers", 1_000);
    int messages = options.number("messages", 1_000);
    try (Ground ground = Ground.prepare(options, true)) {
      Figures figures =
          new Figures()
              .put("run", "idle")
              .put("endpoint", ground.sink().kind())
              .put("subscribers", subscribers)
              .put("messagesEach", messages);
      LoadRuns.say("creating " + subscribers + " subscribers with " + messages + " messages each");
      Crowd crowd = new Crowd(ground, subscribers, options.text("rate", "1/min"));
      crowd.create();
      crowd.backlog(messages);
      LoadRuns.say("waiting");
      LoadRuns.pause(1_000L * options.number("settle", 20));
      long delivered = ground.delivered();
      Meter before = ground.meter();
      LoadRuns.pause(1_000L * options.number("seconds", 60));
      ground.meter().tell(figures, before, ground.delivered() - delivered);
      return figures
          .put("nodeMb", Meter.residentMb(ground.node().pid()))
          .put("redisMb", Meter.residentMb(ground.node().redis().pid()));
    }
  }
}
