package dev.weir.cli;

import static java.util.Objects.requireNonNull;

import dev.weir.cli.api.Answer;
import dev.weir.cli.api.ApiClient;
import dev.weir.cli.api.Pages;
import dev.weir.cli.output.Text;
import dev.weir.cli.output.Times;
import io.vertx.core.json.JsonObject;
import java.io.PrintWriter;
import java.net.URI;
import java.time.InstantSource;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Help.Ansi;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The options of every command that talks to a node, and the two ways of answering. */
final class NodeOptions {

  static final String DEFAULT_URL = "http://127.0.0.1:8080";

  @Option(
      names = "--url",
      paramLabel = "URL",
      defaultValue = "${env:WEIR_URL:-" + DEFAULT_URL + "}",
      description = "The node to ask; also WEIR_URL. Default: " + DEFAULT_URL + ".")
  private String url = DEFAULT_URL;

  @Option(names = "--json", description = "Print the API's JSON on stdout and nothing else.")
  private boolean json;

  @Option(
      names = {"-h", "--help"},
      usageHelp = true,
      description = "Show this help and exit.")
  @SuppressWarnings("unused") // picocli acts on it
  private boolean help;

  @Spec(Spec.Target.MIXEE)
  private @Nullable CommandSpec command;

  ApiClient node() {
    URI base;
    try {
      base = URI.create(url);
    } catch (IllegalArgumentException e) {
      throw usage("--url " + url + " is not a URL: " + e.getMessage());
    }
    boolean http = "http".equals(base.getScheme()) || "https".equals(base.getScheme());
    if (!http || base.getHost() == null || base.getQuery() != null) {
      throw usage(
          "--url "
              + url
              + " is not of the form http://HOST:PORT or https://HOST:PORT, such as "
              + DEFAULT_URL);
    }
    return new ApiClient(base);
  }

  /** Prints an answer as it came, or what {@code words} makes of it. */
  int show(Answer answer, Function<JsonObject, String> words) {
    JsonObject parsed = answer.json();
    out().println(json ? answer.body().strip() : words.apply(parsed));
    return ExitCodes.OK;
  }

  /** The same for an operation whose answer has no content. */
  int done(Answer answer, String words) {
    out().println(json ? new JsonObject().put("status", answer.status()).encode() : words);
    return ExitCodes.OK;
  }

  /** Prints a list, and on stderr that there is more when a limit cut it. */
  int show(Pages pages, String nothing, Function<Pages, String> table) {
    if (json) {
      out().println(pages.encode());
      return ExitCodes.OK;
    }
    out().println(pages.items().isEmpty() ? nothing : table.apply(pages));
    if (pages.next() != null) {
      out().flush();
      err().println("The first " + pages.items().size() + " are shown; --limit asks for more.");
    }
    return ExitCodes.OK;
  }

  boolean json() {
    return json;
  }

  Times times() {
    return new Times(InstantSource.system());
  }

  Ansi ansi() {
    return spec().commandLine().getColorScheme().ansi();
  }

  PrintWriter out() {
    return spec().commandLine().getOut();
  }

  PrintWriter err() {
    return spec().commandLine().getErr();
  }

  /** Ends the command with exit code 2 and its usage. */
  ParameterException usage(String problem) {
    return new ParameterException(spec().commandLine(), Text.printable(problem));
  }

  private CommandSpec spec() {
    return requireNonNull(command, "picocli sets it before it runs a command");
  }
}
