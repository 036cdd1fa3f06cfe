package dev.weir.cli;

import static dev.weir.cli.output.Text.field;

import dev.weir.cli.api.Answer;
import dev.weir.cli.api.ApiPath;
import dev.weir.cli.output.Table;
import dev.weir.cli.output.Text;
import dev.weir.cli.output.Times;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Where a message's deliveries are, or everything that happened to one of them. */
@Command(
    name = "deliveries",
    description = "List a message's deliveries, or show the trace of one.",
    footerHeading = "%nExamples:%n",
    footer = {
      "  weir deliveries shp_2048 --version 3",
      "  weir deliveries shp_2048 store_17 --version 3"
    })
final class DeliveriesCommand implements Callable<Integer> {

  private static final int SHOWN_OF_AN_EXCERPT = 200;

  @Mixin private NodeOptions options = new NodeOptions();

  @Parameters(index = "0", paramLabel = "MESSAGE", description = "The message's id.")
  private String message = "";

  @Parameters(
      index = "1",
      arity = "0..1",
      paramLabel = "SUBSCRIBER",
      description = "Show the trace of the delivery to this subscriber.")
  private @Nullable String subscriber;

  @Option(
      names = "--version",
      paramLabel = "N",
      description = "The message's version, when it was published with one.")
  private @Nullable Long version;

  @Override
  public Integer call() {
    if (subscriber == null) {
      ApiPath path = ApiPath.of("/v1/messages", message).with("version", version);
      return options.show(options.node().get(path), this::overview);
    }
    ApiPath path = ApiPath.of("/v1/deliveries", message, subscriber).with("version", version);
    Answer answer = options.node().get(path);
    return options.show(answer, this::trace);
  }

  private String overview(JsonObject view) {
    Table table = new Table("SUBSCRIBER", "STATE", ">ATTEMPTS", "SINCE", "KEY");
    for (JsonObject delivery : objects(view, "deliveries")) {
      table.row(
          field(delivery, "subscriber"),
          field(delivery, "state"),
          field(delivery, "attempts"),
          options.times().withAge(delivery.getString("since")),
          field(delivery, "key"));
    }
    return table.render(options.ansi());
  }

  private String trace(JsonObject view) {
    List<JsonObject> attempts = objects(view, "attempts");
    List<String> parts = new ArrayList<>();
    parts.add(summary(view));
    if (attempts.isEmpty()) {
      parts.add("No attempt is on record.");
    } else {
      parts.add(attempts(attempts, view));
      parts.add(details(attempts));
    }
    return String.join(System.lineSeparator() + System.lineSeparator(), parts).stripTrailing();
  }

  private String summary(JsonObject view) {
    Table table = new Table("DELIVERY", field(view, "key"));
    table.row("state", field(view, "state"));
    table.row("since", options.times().withAge(view.getString("since")));
    addTime(table, "next attempt", view.getString("nextAttemptAt"));
    addText(table, "reason", view.getValue("reason"));
    addText(table, "asked delay", view.getValue("askedDelay"));
    addTime(table, "deliver by", view.getString("deliverBy"));
    addText(table, "type", view.getValue("type"));
    if (view.getLong("redrives", 0L) > 0) {
      addText(table, "redrives", view.getValue("redrives"));
    }
    return table.render(options.ansi());
  }

  private void addTime(Table table, String name, @Nullable String instant) {
    if (instant != null) {
      table.row(name, options.times().withAge(instant));
    }
  }

  private static void addText(Table table, String name, @Nullable Object value) {
    if (value != null) {
      table.row(name, value.toString());
    }
  }

  private String attempts(List<JsonObject> attempts, JsonObject view) {
    Table table =
        new Table(
            ">#",
            "ELIGIBLE",
            ">CLAIMED",
            ">WAITED",
            "GATE",
            ">SENT",
            "ANSWER",
            ">LATENCY",
            "RETRY-AFTER",
            "OUTCOME",
            ">DELAY",
            ">SETTLED",
            "NODE");
    long last = 0;
    long omitted = view.getLong("omittedAttempts", 0L);
    for (JsonObject attempt : attempts) {
      long number = attempt.getLong("attempt", last + 1);
      if (omitted > 0 && number > last + 1) {
        table.row("…", omitted + " attempts left out", "", "", "", "", "", "", "", "", "", "", "");
        omitted = 0;
      }
      last = number;
      addAttempt(table, attempt);
    }
    return table.render(options.ansi())
        + System.lineSeparator()
        + "Claimed, sent and settled count from the eligible time, which is UTC.";
  }

  private static void addAttempt(Table table, JsonObject attempt) {
    String eligible = attempt.getString("eligibleAt");
    JsonObject limiter = attempt.getJsonObject("limiter", new JsonObject());
    table.row(
        field(attempt, "attempt"),
        Times.absolute(eligible),
        Times.offset(eligible, attempt.getString("claimedAt")),
        ms(limiter, "waitedMs"),
        field(limiter, "gate"),
        Times.offset(eligible, attempt.getString("sentAt")),
        attempt.getValue("status") == null ? field(attempt, "error") : field(attempt, "status"),
        ms(attempt, "latencyMs"),
        field(attempt, "retryAfter"),
        field(attempt, "outcome") + (attempt.getBoolean("ambiguous", false) ? " (ambiguous)" : ""),
        ms(attempt, "delayMs"),
        Times.offset(eligible, attempt.getString("settledAt")),
        field(attempt, "node"));
  }

  /** What doesn't fit a column: why, what went wrong, and how the answer began. */
  private static String details(List<JsonObject> attempts) {
    List<String> lines = new ArrayList<>();
    for (JsonObject attempt : attempts) {
      for (String field : List.of("why", "detail", "excerpt")) {
        String value = attempt.getString(field);
        if (value != null && !value.isEmpty()) {
          lines.add("#" + field(attempt, "attempt") + " " + field + ": " + shortened(value));
        }
      }
    }
    return String.join(System.lineSeparator(), lines);
  }

  private static String shortened(String text) {
    String printable = Text.printable(text);
    return printable.length() <= SHOWN_OF_AN_EXCERPT
        ? printable
        : printable.substring(0, SHOWN_OF_AN_EXCERPT) + "… (--json has all of it)";
  }

  private static String ms(JsonObject from, String field) {
    Long value = from.getLong(field);
    return value == null || value < 0 ? Text.orAbsent(null) : Times.millis(value);
  }

  private static List<JsonObject> objects(JsonObject from, String field) {
    return from.getJsonArray(field, new JsonArray()).stream().map(JsonObject.class::cast).toList();
  }
}
