package dev.weir.cli;

import static dev.weir.cli.output.Text.field;

import dev.weir.cli.api.ApiPath;
import dev.weir.cli.output.Table;
import dev.weir.cli.output.Text;
import dev.weir.cli.output.Times;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** The destinations: what they are, how they stand, and changing them. */
@Command(
    name = "subscribers",
    description = "List subscribers (without a command), or show, create, change and delete them.",
    subcommands = {
      SubscribersCommand.ListAll.class,
      SubscribersCommand.Get.class,
      SubscriberPut.class,
      SubscribersCommand.Delete.class
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  weir subscribers list",
      "  weir subscribers put store_17 --endpoint https://store17.example/hooks --rate 5/s",
      "  weir subscribers get store_17 --json"
    })
final class SubscribersCommand extends SubscriberListing {

  static final String PATH = "/v1/subscribers";

  @Command(
      name = "list",
      description = "All subscribers with their backlog.",
      footerHeading = "%nExamples:%n",
      footer = {"  weir subscribers list --limit 500"})
  static final class ListAll extends SubscriberListing {}

  @Command(
      name = "get",
      description = "One subscriber: configuration, state and backlog.",
      footerHeading = "%nExamples:%n",
      footer = {"  weir subscribers get store_17"})
  static final class Get implements Callable<Integer> {
    @Mixin private NodeOptions options = new NodeOptions();

    @Parameters(paramLabel = "SUBSCRIBER", description = "The subscriber's id.")
    private String id = "";

    @Override
    public Integer call() {
      return options.show(
          options.node().get(ApiPath.of(PATH, id)), view -> describe(view, options));
    }
  }

  @Command(
      name = "delete",
      description = "Delete a subscriber; its backlog is dropped and counted as purged.",
      footerHeading = "%nExamples:%n",
      footer = {"  weir subscribers delete store_17"})
  static final class Delete implements Callable<Integer> {
    @Mixin private NodeOptions options = new NodeOptions();

    @Parameters(paramLabel = "SUBSCRIBER", description = "The subscriber's id.")
    private String id = "";

    @Override
    public Integer call() {
      return options.done(
          options.node().delete(ApiPath.of(PATH, id)), "Deleted " + Text.printable(id));
    }
  }

  /** A subscriber's view as lines of name and value. */
  static String describe(JsonObject view, NodeOptions options) {
    Table table = new Table("SUBSCRIBER", field(view, "id"));
    for (String field : view.fieldNames()) {
      Object value = view.getValue(field);
      if (field.equals("id") || field.equals("counts") || value == null) {
        continue;
      }
      table.row(field, shown(field, value, options));
    }
    JsonObject counts = view.getJsonObject("counts", new JsonObject());
    counts.fieldNames().forEach(name -> table.row("counts." + name, field(counts, name)));
    return table.render(options.ansi());
  }

  private static String shown(String field, Object value, NodeOptions options) {
    if (field.equals("gateOpensAt")) {
      return options.times().withAge(value.toString());
    }
    return field.equals("oldestReadySeconds")
        ? age(((Number) value).doubleValue())
        : value.toString();
  }

  static String age(@Nullable Double seconds) {
    return seconds == null
        ? Text.orAbsent(null)
        : Times.words(Duration.ofMillis(Math.round(seconds * 1_000)));
  }
}
