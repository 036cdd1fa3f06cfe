package dev.weir.cli;

import static dev.weir.cli.output.Text.field;

import dev.weir.cli.api.Pages;
import dev.weir.cli.output.Table;
import io.vertx.core.json.JsonObject;

/** Deliveries that stopped, dead or waiting for a person. */
final class StoppedTable {

  private StoppedTable() {}

  static String render(Pages pages, NodeOptions options) {
    Table table =
        new Table(
            "MESSAGE",
            ">VERSION",
            "SUBSCRIBER",
            ">ATTEMPTS",
            "SINCE",
            ">REDRIVES",
            "ASKED DELAY",
            "REASON");
    for (JsonObject item : pages.items()) {
      table.row(
          field(item, "message"),
          field(item, "version"),
          field(item, "subscriber"),
          field(item, "attempts"),
          options.times().withAge(item.getString("since")),
          field(item, "redrives"),
          field(item, "askedDelay"),
          field(item, "reason"));
    }
    return table.render(options.ansi());
  }
}
