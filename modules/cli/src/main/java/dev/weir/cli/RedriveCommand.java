package dev.weir.cli;

import dev.weir.cli.api.ApiPath;
import io.vertx.core.json.JsonObject;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/**
 * Sends dead letters on their way again; {@code weir redrive} and {@code weir dead-letters
 * redrive}.
 */
@Command(
    name = "redrive",
    description = "Send a dead letter, or all of a subscriber, on its way again.",
    footerHeading = "%nExamples:%n",
    footer = {
      "  weir redrive shp_2048 store_17 --version 3",
      "  weir redrive --subscriber store_17"
    })
final class RedriveCommand implements Callable<Integer> {

  @Mixin private NodeOptions options = new NodeOptions();

  @Parameters(
      index = "0",
      arity = "0..1",
      paramLabel = "MESSAGE",
      description = "The message's id.")
  private @Nullable String message;

  @Parameters(
      index = "1",
      arity = "0..1",
      paramLabel = "SUBSCRIBER",
      description = "The subscriber's id.")
  private @Nullable String subscriber;

  @Option(
      names = "--version",
      paramLabel = "N",
      description = "The message's version, when it was published with one.")
  private @Nullable Long version;

  @Option(
      names = "--subscriber",
      paramLabel = "SUBSCRIBER",
      description = "Every dead letter of this subscriber.")
  private @Nullable String all;

  @Override
  public Integer call() {
    return options.show(
        options.node().post(ApiPath.of("/v1/dead-letters/redrive"), target()),
        answer -> "Redriven: " + answer.getLong("redriven", 0L));
  }

  private JsonObject target() {
    if (all != null && message == null && version == null) {
      return new JsonObject().put("subscriber", all);
    }
    if (all != null || message == null || subscriber == null) {
      throw options.usage("name one with MESSAGE SUBSCRIBER, or all of one with --subscriber");
    }
    JsonObject one = new JsonObject().put("message", message).put("subscriber", subscriber);
    return version == null ? one : one.put("version", version);
  }
}
