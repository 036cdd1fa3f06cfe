package dev.weir.scenarios.client;

import dev.weir.scenarios.process.ScenarioException;
import io.vertx.core.json.DecodeException;
import io.vertx.core.json.JsonObject;
import java.net.http.HttpResponse;
import java.util.Optional;

/** A status and a body, with what was asked, for messages. */
public record Answer(String asked, int status, String body, Optional<String> retryAfter) {

  static Answer of(String asked, HttpResponse<String> response) {
    return new Answer(
        asked,
        response.statusCode(),
        response.body(),
        response.headers().firstValue("Retry-After"));
  }

  public boolean ok() {
    return status >= 200 && status < 300;
  }

  /** The body; fails with the problem when the answer was no success. */
  public JsonObject json() {
    if (!ok()) {
      throw new ScenarioException(asked + " was answered " + status + ": " + body);
    }
    try {
      return body.isEmpty() ? new JsonObject() : new JsonObject(body);
    } catch (DecodeException e) {
      throw new ScenarioException(asked + " was answered with no JSON object: " + body, e);
    }
  }
}
