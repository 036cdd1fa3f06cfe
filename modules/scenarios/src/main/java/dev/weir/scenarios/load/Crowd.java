package dev.weir.scenarios.load;

import dev.weir.scenarios.load.Feeder.Call;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;

/** Many subscribers alike, named by number. */
record Crowd(Ground ground, int size, String rate) {

  void create() {
    String configuration =
        new JsonObject()
            .put("endpoint", ground.sink().url())
            .put("rate", rate)
            .put("burst", 1)
            .put("stampAttempts", true)
            .encode();
    ground.feeder().each(size, i -> new Call("PUT", "/v1/subscribers/" + name(i), configuration));
  }

  static String name(int number) {
    return "crowd-" + number;
  }

  /** Targets of a message to so many of them. */
  static JsonArray targets(int from, int count) {
    JsonArray targets = new JsonArray();
    for (int i = from; i < from + count; i++) {
      targets.add(name(i));
    }
    return targets;
  }

  /** So many messages, each to all of them. */
  void backlog(int messages) {
    int perCall = Math.min(size, 1_000);
    int calls = (size + perCall - 1) / perCall;
    ground
        .feeder()
        .each(
            messages * calls,
            i -> {
              int from = i % calls * perCall;
              JsonObject publish =
                  new JsonObject()
                      .put("to", targets(from, Math.min(perCall, size - from)))
                      .put("id", "backlog-" + i)
                      .put("path", "/crowd")
                      .put("body", "a waiting message");
              return new Call("POST", "/v1/queue/publish", publish.encode());
            });
  }
}
