package dev.weir.cli;

import dev.weir.cli.api.ApiPath;
import dev.weir.cli.output.Text;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** Lets a paused or disabled subscriber's deliveries go on. */
@Command(
    name = "resume",
    description = "Let deliveries to a paused or disabled subscriber go on.",
    footerHeading = "%nExamples:%n",
    footer = {"  weir resume store_17"})
final class ResumeCommand implements Callable<Integer> {

  @Mixin private NodeOptions options = new NodeOptions();

  @Parameters(paramLabel = "SUBSCRIBER", description = "The subscriber's id.")
  private String id = "";

  @Override
  public Integer call() {
    return options.show(
        options.node().post(ApiPath.of(SubscribersCommand.PATH, id).then("/resume")),
        view -> Text.printable("Resumed " + id));
  }
}
