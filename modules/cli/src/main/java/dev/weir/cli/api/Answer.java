package dev.weir.cli.api;

import io.vertx.core.json.DecodeException;
import io.vertx.core.json.JsonObject;

/**
 * A 2xx from the node.
 *
 * @param body as received; empty for 204
 */
public record Answer(String request, int status, String body) {

  public JsonObject json() {
    try {
      return new JsonObject(body);
    } catch (DecodeException e) {
      throw NodeFailure.unreachable(
          request
              + " was answered with "
              + status
              + " but not with a JSON object. Is it a Weir node that listens there? Check --url.");
    }
  }
}
