package dev.weir.scenarios.demo;

import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.time.Instant;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Says in a few words why a subscriber's deliveries wait, from its view. */
final class Reasons {

  private Reasons() {}

  static String why(JsonObject view, @Nullable String sharedRate, Instant now) {
    JsonObject counts = view.getJsonObject("counts", new JsonObject());
    if (waiting(counts) == 0) {
      return "";
    }
    String state = view.getString("state");
    if (!"active".equals(state)) {
      String reason = view.getString("reason");
      return reason == null ? state : state + ": " + reason;
    }
    String gate = view.getString("gateOpensAt");
    if (gate != null && Instant.parse(gate).isAfter(now)) {
      double seconds = Duration.between(now, Instant.parse(gate)).toMillis() / 1e3;
      return String.format(Locale.ROOT, "asked to wait, gate opens in %.1f s", seconds);
    }
    if (counts.getLong("ready", 0L) > 0) {
      String quota = view.getString("quota");
      return quota == null
          ? "paced at " + view.getString("rate")
          : "paced at " + sharedRate + ", shared through " + quota;
    }
    return counts.getLong("inFlight", 0L) > 0 ? "in flight" : "retries scheduled";
  }

  static long waiting(JsonObject counts) {
    return counts.getLong("ready", 0L)
        + counts.getLong("delayed", 0L)
        + counts.getLong("inFlight", 0L);
  }
}
