package dev.weir.cli;

import dev.weir.cli.api.ApiPath;
import dev.weir.cli.api.Pages;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Deliveries that were given up. */
@Command(
    name = "dead-letters",
    description = "List dead letters and send them on their way again.",
    subcommands = {DeadLettersCommand.ListAll.class, RedriveCommand.class},
    footerHeading = "%nExamples:%n",
    footer = {
      "  weir dead-letters list --subscriber store_17",
      "  weir dead-letters redrive shp_2048 store_17 --version 3",
      "  weir dead-letters redrive --subscriber store_17"
    })
final class DeadLettersCommand extends CommandGroup {

  @Command(
      name = "list",
      description = "Dead letters, oldest first within a subscriber.",
      footerHeading = "%nExamples:%n",
      footer = {"  weir dead-letters list --subscriber store_17 --limit 500"})
  static final class ListAll implements Callable<Integer> {
    @Mixin private NodeOptions options = new NodeOptions();
    @Mixin private ListOptions list = new ListOptions();

    @Option(names = "--subscriber", paramLabel = "SUBSCRIBER", description = "Only those of one.")
    private @Nullable String subscriber;

    @Override
    public Integer call() {
      ApiPath path = ApiPath.of("/v1/dead-letters").with("subscriber", subscriber);
      return options.show(
          Pages.gather(options.node(), path, list.limit(options)),
          "No dead letters",
          pages -> StoppedTable.render(pages, options));
    }
  }
}
