package dev.weir.scenarios.client;

import dev.weir.domain.message.DeliveryId;
import dev.weir.domain.message.Escaping;
import dev.weir.domain.message.MessageId;
import dev.weir.scenarios.process.ScenarioException;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A node's HTTP API. Blocking, safe to share; failures to reach it are {@link IOException}s. */
public final class WeirClient {

  private final Http http;

  public WeirClient(String url) {
    this.http = new Http(url);
  }

  public Answer send(String method, String path, @Nullable String body, Map<String, String> headers)
      throws IOException {
    return http.send(method, path, body, headers);
  }

  /** Whether it says that it is ready; false when nothing listens. */
  public boolean ready() {
    try {
      return http.send("GET", "/health/ready", null, Map.of()).status() == 200;
    } catch (IOException notYet) {
      return false;
    }
  }

  public JsonObject get(String path) {
    return call("GET", path, null).json();
  }

  public JsonObject put(String path, JsonObject body) {
    return call("PUT", path, body.encode()).json();
  }

  public JsonObject post(String path, JsonObject body) {
    return call("POST", path, body.encode()).json();
  }

  /** Any status is an answer. */
  public Answer call(String method, String path, @Nullable String body) {
    try {
      return http.send(method, path, body, Map.of());
    } catch (IOException e) {
      throw new ScenarioException("the node did not answer " + method + " " + path + ": " + e, e);
    }
  }

  public Answer publish(String json) {
    return call("POST", "/v1/queue/publish", json);
  }

  public Answer delivery(DeliveryId id) {
    return call("GET", deliveryPath(id), null);
  }

  public static String deliveryPath(DeliveryId id) {
    return "/v1/deliveries/"
        + Escaping.escape(id.message().id())
        + "/"
        + Escaping.escape(id.subscriber())
        + version(id.message());
  }

  public static String messagePath(MessageId id) {
    return "/v1/messages/" + Escaping.escape(id.id()) + version(id);
  }

  private static String version(MessageId id) {
    return id.version() == null ? "" : "?version=" + id.version();
  }

  /** All pages of a list. */
  public List<JsonObject> list(String path) {
    List<JsonObject> items = new ArrayList<>();
    String next = "";
    do {
      JsonObject page =
          get(path + "?limit=100" + (next.isEmpty() ? "" : "&after=" + Escaping.escape(next)));
      JsonArray found = page.getJsonArray("items");
      for (int i = 0; i < found.size(); i++) {
        items.add(found.getJsonObject(i));
      }
      next = page.getString("next") == null ? "" : page.getString("next");
    } while (!next.isEmpty());
    return items;
  }
}
