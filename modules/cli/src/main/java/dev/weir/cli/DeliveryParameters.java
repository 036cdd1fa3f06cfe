package dev.weir.cli;

import dev.weir.cli.api.ApiPath;
import io.vertx.core.json.JsonObject;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Names one delivery: MESSAGE SUBSCRIBER, and the version where the message has one. */
final class DeliveryParameters {

  @Parameters(index = "0", paramLabel = "MESSAGE", description = "The message's id.")
  private String message = "";

  @Parameters(index = "1", paramLabel = "SUBSCRIBER", description = "The subscriber's id.")
  private String subscriber = "";

  @Option(
      names = "--version",
      paramLabel = "N",
      description = "The message's version, when it was published with one.")
  private @Nullable Long version;

  /** The body by which the API names it. */
  JsonObject body() {
    JsonObject body = new JsonObject().put("message", message);
    if (version != null) {
      body.put("version", version);
    }
    return body.put("subscriber", subscriber);
  }

  ApiPath path(String action) {
    return ApiPath.of("/v1/deliveries", message, subscriber).then(action).with("version", version);
  }

  String words() {
    return message + (version == null ? "" : " version " + version) + " for " + subscriber;
  }
}
