package dev.weir.cli;

import dev.weir.cli.api.ApiPath;
import dev.weir.cli.output.Text;
import io.vertx.core.json.JsonObject;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Stops a subscriber's deliveries; its backlog waits. */
@Command(
    name = "pause",
    description = "Stop deliveries to a subscriber; what is in flight is finished.",
    footerHeading = "%nExamples:%n",
    footer = {"  weir pause store_17 --reason 'migration until noon'"})
final class PauseCommand implements Callable<Integer> {

  @Mixin private NodeOptions options = new NodeOptions();

  @Parameters(paramLabel = "SUBSCRIBER", description = "The subscriber's id.")
  private String id = "";

  @Option(names = "--reason", paramLabel = "TEXT", description = "Shown wherever it is asked why.")
  private @Nullable String reason;

  @Override
  public Integer call() {
    JsonObject body = new JsonObject();
    if (reason != null) {
      body.put("reason", reason);
    }
    return options.show(
        options.node().post(ApiPath.of(SubscribersCommand.PATH, id).then("/pause"), body),
        view -> Text.printable("Paused " + id));
  }
}
