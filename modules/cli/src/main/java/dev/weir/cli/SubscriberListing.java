package dev.weir.cli;

import static dev.weir.cli.output.Text.field;

import dev.weir.cli.api.ApiPath;
import dev.weir.cli.api.Pages;
import dev.weir.cli.output.Table;
import io.vertx.core.json.JsonObject;
import java.util.concurrent.Callable;
import picocli.CommandLine.Mixin;

/** All subscribers with their backlog. */
abstract class SubscriberListing implements Callable<Integer> {

  @Mixin private NodeOptions options = new NodeOptions();
  @Mixin private ListOptions list = new ListOptions();

  @Override
  public Integer call() {
    Pages pages =
        Pages.gather(options.node(), ApiPath.of(SubscribersCommand.PATH), list.limit(options));
    return options.show(pages, "No subscribers yet: weir subscribers put --help", this::table);
  }

  private String table(Pages pages) {
    Table table =
        new Table(
            "SUBSCRIBER",
            "STATE",
            "RATE",
            ">BURST",
            "QUOTA",
            ">READY",
            ">DELAYED",
            ">IN FLIGHT",
            ">DEAD",
            ">RECONCILING",
            ">DELIVERED",
            ">OLDEST READY");
    for (JsonObject subscriber : pages.items()) {
      JsonObject counts = subscriber.getJsonObject("counts", new JsonObject());
      table.row(
          field(subscriber, "id"),
          field(subscriber, "state"),
          field(subscriber, "rate"),
          field(subscriber, "burst"),
          field(subscriber, "quota"),
          field(counts, "ready"),
          field(counts, "delayed"),
          field(counts, "inFlight") + "/" + field(subscriber, "maxInFlight"),
          field(counts, "dead"),
          field(counts, "reconciling"),
          field(counts, "delivered"),
          SubscribersCommand.age(subscriber.getDouble("oldestReadySeconds")));
    }
    return table.render(options.ansi());
  }
}
