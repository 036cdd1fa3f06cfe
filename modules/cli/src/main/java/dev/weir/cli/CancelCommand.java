package dev.weir.cli;

import dev.weir.cli.output.Text;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** Gives up one delivery, whatever it waits for. */
@Command(
    name = "cancel",
    description = "Give up a delivery that is ready, scheduled, dead or reconciling.",
    footerHeading = "%nExamples:%n",
    footer = {"  weir cancel shp_2048 store_17 --version 3"})
final class CancelCommand implements Callable<Integer> {

  @Mixin private NodeOptions options = new NodeOptions();
  @Mixin private DeliveryParameters delivery = new DeliveryParameters();

  @Override
  public Integer call() {
    return options.show(
        options.node().post(delivery.path("/cancel")),
        state -> Text.printable("Cancelled " + delivery.words()));
  }
}
