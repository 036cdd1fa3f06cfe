package dev.weir.cli;

import static dev.weir.cli.output.Text.field;

import dev.weir.cli.api.ApiPath;
import dev.weir.cli.api.Pages;
import dev.weir.cli.output.Table;
import io.vertx.core.json.JsonObject;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Deliveries that stopped, dead or waiting for a person. */
abstract class StoppedListing implements Callable<Integer> {

  @Mixin private NodeOptions options = new NodeOptions();
  @Mixin private ListOptions list = new ListOptions();

  @Option(names = "--subscriber", paramLabel = "SUBSCRIBER", description = "Only those of one.")
  private @Nullable String subscriber;

  private final String path;
  private final String nothing;

  StoppedListing(String path, String nothing) {
    this.path = path;
    this.nothing = nothing;
  }

  @Override
  public Integer call() {
    ApiPath filtered = ApiPath.of(path).with("subscriber", subscriber);
    Pages pages = Pages.gather(options.node(), filtered, list.limit(options));
    return options.show(pages, nothing, this::table);
  }

  private String table(Pages pages) {
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
