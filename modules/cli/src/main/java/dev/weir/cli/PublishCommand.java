package dev.weir.cli;

import dev.weir.cli.api.ApiPath;
import dev.weir.cli.output.Table;
import dev.weir.cli.output.Text;
import io.vertx.core.json.JsonObject;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Hands in one message for one or more subscribers. */
@Command(
    name = "publish",
    description = "Publish a message to one or more subscribers.",
    footerHeading = "%nExamples:%n",
    footer = {
      "  weir publish --to store_17 --id shp_2048 --version 3 \\",
      "      --type shipment.updated --body '{\"status\":\"shipped\"}'",
      "  weir publish --to store_17 --to store_18 --body-file order.json --delay 10min",
      "  date | weir publish --to store_17 --content-type text/plain -"
    })
final class PublishCommand implements Callable<Integer> {

  @Mixin private NodeOptions options = new NodeOptions();
  @Mixin private MessageBody body = new MessageBody();

  @Option(
      names = "--to",
      paramLabel = "SUBSCRIBER",
      required = true,
      description = "Who gets it; repeat for several.")
  private List<String> to = List.of();

  @Option(
      names = "--id",
      paramLabel = "ID",
      description = "The message's id: publishing it again is harmless. Default: a new one.")
  private @Nullable String id;

  @Option(
      names = "--version",
      paramLabel = "N",
      description = "Version of the id, 0 or more; two versions are two messages.")
  private @Nullable Long version;

  @Option(
      names = "--type",
      paramLabel = "TYPE",
      description = "What happened, such as shipment.updated.")
  private @Nullable String type;

  @Option(
      names = "--header",
      paramLabel = "'NAME: VALUE'",
      description = "Sent with each attempt; repeat for several.")
  private List<String> headers = List.of();

  @Option(
      names = "--path",
      paramLabel = "PATH",
      description = "Appended to the subscriber's endpoint, such as /orders/7.")
  private @Nullable String path;

  @Option(
      names = "--delay",
      paramLabel = "DURATION",
      description = "Send no sooner than this from now: 90s, 5min, 2h, up to 7d.")
  private @Nullable String delay;

  @Option(
      names = "--deliver-at",
      paramLabel = "INSTANT",
      description = "Send no sooner than this, such as 2026-12-24T09:00:00+01:00.")
  private @Nullable String deliverAt;

  @Option(
      names = "--deliver-by",
      paramLabel = "INSTANT",
      description = "The business deadline; what is due earlier goes first.")
  private @Nullable String deliverBy;

  @Option(
      names = "--idempotency-key",
      paramLabel = "KEY",
      description = "The same key and request again gets the first answer again, for 8 days.")
  private @Nullable String idempotencyKey;

  @Override
  public Integer call() {
    byte[] request = body.splice(fields(), HeaderOption.parse(headers, options), options);
    Map<String, String> httpHeaders =
        idempotencyKey == null ? Map.of() : Map.of("Idempotency-Key", idempotencyKey);
    return options.show(
        options.node().post(ApiPath.of("/v1/queue/publish"), request, httpHeaders), this::words);
  }

  private JsonObject fields() {
    if (delay != null && deliverAt != null) {
      throw options.usage("--delay and --deliver-at exclude each other");
    }
    JsonObject fields = new JsonObject();
    if (to.size() == 1) {
      fields.put("to", to.get(0));
    } else {
      fields.put("to", to);
    }
    putIfGiven(fields, "id", id);
    putIfGiven(fields, "version", version);
    putIfGiven(fields, "type", type);
    putIfGiven(fields, "path", path);
    putIfGiven(
        fields, "delaySeconds", delay == null ? null : DurationOption.seconds(delay, options));
    putIfGiven(fields, "deliverAt", deliverAt);
    putIfGiven(fields, "deliverBy", deliverBy);
    return fields;
  }

  private static void putIfGiven(JsonObject fields, String name, @Nullable Object value) {
    if (value != null) {
      fields.put(name, value);
    }
  }

  private String words(JsonObject accepted) {
    Table table = new Table("SUBSCRIBER", "DELIVERY KEY");
    for (Object item : accepted.getJsonArray("deliveries")) {
      JsonObject delivery = (JsonObject) item;
      table.row(Text.field(delivery, "subscriber"), Text.field(delivery, "key"));
    }
    String name = Text.printable(Text.field(accepted, "id"));
    Object published = accepted.getValue("version");
    return "Accepted message "
        + name
        + (published == null ? "" : " version " + published)
        + System.lineSeparator()
        + table.render(options.ansi());
  }
}
