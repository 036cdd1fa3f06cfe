package dev.weir.cli;

import dev.weir.cli.api.ApiPath;
import dev.weir.cli.output.Text;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Deliveries that need a person. */
@Command(
    name = "reconciliation",
    description = "List deliveries that need a person (without a command), or decide about them.",
    subcommands = {
      ReconciliationCommand.ListAll.class,
      ReconciliationCommand.Reschedule.class,
      ReconciliationCommand.Redrive.class,
      ReconciliationCommand.Cancel.class
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  weir reconciliation list",
      "  weir reconciliation reschedule shp_2048 store_17 --at 2026-12-24T08:00:00Z",
      "  weir reconciliation cancel shp_2048 store_17"
    })
final class ReconciliationCommand extends StoppedListing {

  private static final String PATH = "/v1/reconciliation";

  ReconciliationCommand() {
    super(PATH, "Nothing needs a person");
  }

  @Command(
      name = "list",
      description = "Held deliveries, and those told to wait beyond seven days.",
      footerHeading = "%nExamples:%n",
      footer = {"  weir reconciliation list --subscriber store_17"})
  static final class ListAll extends StoppedListing {
    ListAll() {
      super(PATH, "Nothing needs a person");
    }
  }

  @Command(
      name = "reschedule",
      description = "Try it again at an instant.",
      footerHeading = "%nExamples:%n",
      footer = {"  weir reconciliation reschedule shp_2048 store_17 --at 2026-12-24T08:00:00Z"})
  static final class Reschedule implements Callable<Integer> {
    @Mixin private NodeOptions options = new NodeOptions();
    @Mixin private DeliveryParameters delivery = new DeliveryParameters();

    @Option(
        names = "--at",
        paramLabel = "INSTANT",
        required = true,
        description = "When, such as 2026-12-24T09:00:00+01:00.")
    private String at = "";

    @Override
    public Integer call() {
      return options.show(
          options.node().post(ApiPath.of(PATH + "/reschedule"), delivery.body().put("at", at)),
          state -> Text.printable("Rescheduled " + delivery.words() + " to " + at));
    }
  }

  @Command(
      name = "redrive",
      description = "Try it again now, with fresh budgets.",
      footerHeading = "%nExamples:%n",
      footer = {"  weir reconciliation redrive shp_2048 store_17 --version 3"})
  static final class Redrive implements Callable<Integer> {
    @Mixin private NodeOptions options = new NodeOptions();
    @Mixin private DeliveryParameters delivery = new DeliveryParameters();

    @Override
    public Integer call() {
      return options.show(
          options.node().post(ApiPath.of(PATH + "/redrive"), delivery.body()),
          state -> Text.printable("Redriven " + delivery.words()));
    }
  }

  @Command(
      name = "cancel",
      description = "Give it up for good.",
      footerHeading = "%nExamples:%n",
      footer = {"  weir reconciliation cancel shp_2048 store_17 --version 3"})
  static final class Cancel implements Callable<Integer> {
    @Mixin private NodeOptions options = new NodeOptions();
    @Mixin private DeliveryParameters delivery = new DeliveryParameters();

    @Override
    public Integer call() {
      return options.show(
          options.node().post(ApiPath.of(PATH + "/cancel"), delivery.body()),
          state -> Text.printable("Cancelled " + delivery.words()));
    }
  }
}
