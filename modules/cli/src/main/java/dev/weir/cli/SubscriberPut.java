package dev.weir.cli;

import dev.weir.cli.api.Answer;
import dev.weir.cli.api.ApiPath;
import dev.weir.cli.output.Text;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Creates or replaces a subscriber; what is not given takes its default. */
@Command(
    name = "put",
    description = {
      "Create a subscriber or replace its whole configuration.",
      "What is not given takes its default, also when it was set before."
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  weir subscribers put store_17 --endpoint https://store17.example/hooks --rate 5/s",
      "  weir subscribers put store_18 --endpoint http://127.0.0.1:9000/in --quota vendor \\",
      "      --max-in-flight 4 --status 401=pause --header 'X-Shop: 18'",
      "  weir subscribers put store_19 --file store_19.json"
    })
final class SubscriberPut implements Callable<Integer> {

  @Mixin private NodeOptions options = new NodeOptions();

  @Parameters(paramLabel = "SUBSCRIBER", description = "The subscriber's id.")
  private String id = "";

  @Option(
      names = "--file",
      paramLabel = "FILE",
      description = "Take the configuration from a JSON file (- is stdin) instead of options.")
  private @Nullable String file;

  @Option(names = "--endpoint", paramLabel = "URL", description = "Where its deliveries go.")
  private @Nullable String endpoint;

  @Option(names = "--method", paramLabel = "METHOD", description = "POST (default), PUT or PATCH.")
  private @Nullable String method;

  @Option(
      names = "--rate",
      paramLabel = "RATE",
      description = "Its own quota: 5/s, 0.5/s, 10/min, 5/h, 0 (paused), unlimited (default).")
  private @Nullable String rate;

  @Option(names = "--burst", paramLabel = "N", description = "Whole tokens to spend at once.")
  private @Nullable Integer burst;

  @Option(
      names = "--quota",
      paramLabel = "QUOTA",
      description = "A shared quota instead of --rate and --burst.")
  private @Nullable String quota;

  @Option(names = "--max-in-flight", paramLabel = "N", description = "Attempts at once.")
  private @Nullable Integer maxInFlight;

  @Option(names = "--timeout", paramLabel = "DURATION", description = "Of one attempt, like 15s.")
  private @Nullable String timeout;

  @Option(names = "--retry-base", paramLabel = "DURATION", description = "First backoff.")
  private @Nullable String retryBase;

  @Option(names = "--retry-factor", paramLabel = "X", description = "Growth per failure.")
  private @Nullable Double retryFactor;

  @Option(names = "--retry-cap", paramLabel = "DURATION", description = "Largest backoff.")
  private @Nullable String retryCap;

  @Option(names = "--retry-floor", paramLabel = "DURATION", description = "Smallest delay.")
  private @Nullable String retryFloor;

  @Option(
      names = "--max-failures",
      paramLabel = "N",
      description = "Failures before a delivery is dead; 429s don't count.")
  private @Nullable Integer maxFailures;

  @Option(
      names = "--status",
      paramLabel = "CODE=TREATMENT",
      description = "Treat a status as retry, dead or pause; repeat for several.")
  private Map<String, String> statusPolicy = Map.of();

  @Option(
      names = "--on-ambiguous",
      paramLabel = "WHAT",
      description = "When no answer comes: retry (default) or hold for a person.")
  private @Nullable String onAmbiguous;

  @Option(
      names = "--objective",
      paramLabel = "DURATION",
      description = "Age past which a waiting delivery is late, like 5min.")
  private @Nullable String objective;

  @Option(
      names = "--header",
      paramLabel = "'NAME: VALUE'",
      description = "Sent with each attempt; repeat for several.")
  private List<String> headers = List.of();

  @Option(
      names = "--stamp-attempts",
      description = "Send Weir-Sent-At and Weir-Node with each attempt, for measurements.")
  private boolean stampAttempts;

  @Override
  public Integer call() {
    ApiPath path = ApiPath.of(SubscribersCommand.PATH, id);
    Answer answer =
        file == null
            ? options.node().put(path, fromOptions())
            : options.node().put(path, fromFile(file));
    return options.show(
        answer,
        view ->
            (answer.status() == 201 ? "Created " : "Changed ")
                + Text.printable(id)
                + System.lineSeparator()
                + SubscribersCommand.describe(view, options));
  }

  private byte[] fromFile(String name) {
    if (!fields().isEmpty()) {
      throw options.usage("--file excludes the options that describe a subscriber");
    }
    try {
      return name.equals("-") ? System.in.readAllBytes() : Files.readAllBytes(Path.of(name));
    } catch (IOException e) {
      throw options.usage("can't read the subscriber from " + name + ": " + e);
    }
  }

  private JsonObject fromOptions() {
    if (endpoint == null) {
      throw options.usage("--endpoint URL is missing (or --file FILE with the whole subscriber)");
    }
    return fields();
  }

  private JsonObject fields() {
    JsonObject fields = new JsonObject();
    put(fields, "endpoint", endpoint);
    put(fields, "method", method);
    put(fields, "rate", rate);
    put(fields, "burst", burst);
    put(fields, "quota", quota);
    put(fields, "maxInFlight", maxInFlight);
    put(fields, "timeout", timeout);
    JsonObject retry = new JsonObject();
    put(retry, "base", retryBase);
    put(retry, "factor", retryFactor);
    put(retry, "cap", retryCap);
    put(retry, "floor", retryFloor);
    put(retry, "maxFailures", maxFailures);
    put(fields, "retry", retry.isEmpty() ? null : retry);
    put(fields, "statusPolicy", orNull(statusPolicy));
    put(fields, "onAmbiguous", onAmbiguous);
    put(fields, "objective", objective);
    put(fields, "headers", orNull(HeaderOption.parse(headers, options)));
    put(fields, "stampAttempts", stampAttempts ? Boolean.TRUE : null);
    return fields;
  }

  private static @Nullable JsonObject orNull(Map<String, String> map) {
    return map.isEmpty() ? null : new JsonObject(new LinkedHashMap<>(map));
  }

  private static void put(JsonObject fields, String name, @Nullable Object value) {
    if (value != null) {
      fields.put(name, value);
    }
  }
}
