package dev.weir.cli;

import picocli.CommandLine.Command;

/** Deliveries that were given up. */
@Command(
    name = "dead-letters",
    description = "List dead letters (without a command), or send them on their way again.",
    subcommands = {DeadLettersCommand.ListAll.class, RedriveCommand.class},
    footerHeading = "%nExamples:%n",
    footer = {
      "  weir dead-letters list --subscriber store_17",
      "  weir dead-letters redrive shp_2048 store_17 --version 3",
      "  weir dead-letters redrive --subscriber store_17"
    })
final class DeadLettersCommand extends StoppedListing {

  DeadLettersCommand() {
    super("/v1/dead-letters", "No dead letters");
  }

  @Command(
      name = "list",
      description = "Dead letters, oldest first within a subscriber.",
      footerHeading = "%nExamples:%n",
      footer = {"  weir dead-letters list --subscriber store_17 --limit 500"})
  static final class ListAll extends StoppedListing {
    ListAll() {
      super("/v1/dead-letters", "No dead letters");
    }
  }
}
