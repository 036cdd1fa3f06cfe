package dev.weir.cli;

import static java.util.Objects.requireNonNull;

import dev.weir.receiver.Receiver;
import dev.weir.receiver.ReceiverOptions;
import dev.weir.receiver.ScriptException;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Runs the scriptable endpoint until it is told to stop. */
@Command(
    name = "receiver",
    description = {
      "Run an endpoint that answers by a script and logs every arrival, to test against.",
      "Without a script it answers 200 to everything. Ends on SIGTERM or Ctrl-C."
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  weir receiver --port 9000 --log arrivals.jsonl",
      "  weir receiver --port 9000 --script answers.yaml",
      "%nA script:",
      "  paths:",
      "    - path: /orders",
      "      rules:",
      "        - match: {until: 10s}",
      "          answer: {status: 503}",
      "        - answer: {rateLimit: {rate: 5/s, burst: 2, retryAfter: seconds}}"
    })
final class ReceiverCommand implements Callable<Integer> {

  @Option(
      names = "--port",
      paramLabel = "PORT",
      required = true,
      description = "Where to listen on 127.0.0.1; 0 takes a free port and names it.")
  private int port;

  @Option(names = "--script", paramLabel = "FILE", description = "What to answer, in YAML or JSON.")
  private @Nullable Path script;

  @Option(
      names = "--log",
      paramLabel = "FILE",
      description = "Append every arrival to this file, one JSON object a line.")
  private @Nullable Path log;

  @Option(
      names = {"-h", "--help"},
      usageHelp = true,
      description = "Show this help and exit.")
  @SuppressWarnings("unused") // picocli acts on it
  private boolean help;

  @Spec private @Nullable CommandSpec command;

  @Override
  public Integer call() {
    PrintWriter err = requireNonNull(command).commandLine().getErr();
    try {
      Receiver.run(new ReceiverOptions(port, script, log), err::println);
      return ExitCodes.OK;
    } catch (ScriptException | UncheckedIOException | IllegalArgumentException e) {
      throw new ParameterException(
          requireNonNull(command).commandLine(), String.valueOf(e.getMessage()), e);
    } catch (IOException e) {
      err.println("weir: " + e.getMessage() + ". Choose another --port, or 0 for a free one.");
      return ExitCodes.REFUSED;
    }
  }
}
