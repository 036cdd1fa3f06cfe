package dev.weir.scenarios.client;

import dev.weir.receiver.Arrival;
import dev.weir.receiver.Arrivals;
import dev.weir.receiver.Receiver;
import dev.weir.scenarios.process.ScenarioException;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The control side of a receiver. */
public final class ReceiverClient {

  private final Http http;

  public ReceiverClient(String url) {
    this.http = new Http(url + Receiver.CONTROL);
  }

  public boolean ready() {
    try {
      return http.send("GET", "stats", null, Map.of()).ok();
    } catch (IOException notYet) {
      return false;
    }
  }

  public JsonObject stats() {
    return call("GET", "stats", null);
  }

  public void script(String yaml) {
    call("PUT", "script", yaml);
  }

  public void reset() {
    call("POST", "reset", null);
  }

  /** Everything it remembers (the latest 100,000). */
  public Arrivals arrivals() {
    List<Arrival> all = new ArrayList<>();
    long after = 0;
    JsonArray items;
    do {
      JsonObject page = call("GET", "log?limit=10000&after=" + after, null);
      items = page.getJsonArray("items");
      after = page.getLong("next");
      for (int i = 0; i < items.size(); i++) {
        all.add(Arrival.fromJson(items.getJsonObject(i)));
      }
    } while (!items.isEmpty());
    return new Arrivals(all);
  }

  private JsonObject call(String method, String path, @Nullable String body) {
    try {
      return http.send(method, path, body, Map.of()).json();
    } catch (IOException e) {
      throw new ScenarioException("the receiver did not answer " + method + " " + path, e);
    }
  }
}
