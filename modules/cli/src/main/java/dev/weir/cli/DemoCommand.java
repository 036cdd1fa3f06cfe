package dev.weir.cli;

import static java.util.Objects.requireNonNull;

import dev.weir.scenarios.Demo;
import dev.weir.scenarios.DemoOptions;
import dev.weir.scenarios.DemoReport;
import dev.weir.scenarios.process.ScenarioException;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Runs the demo; progress goes to stderr, the verdict to stdout. */
@Command(
    name = "demo",
    description = {
      "Show Weir at work: a node, a receiver with real limits, some thousand shipment updates.",
      "Needs nothing but this program. Exits with 1 when a delivery is lost or a quota exceeded."
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  weir demo",
      "  weir demo --messages 5000 --keep",
      "  weir demo --json | jq .maxExcess"
    })
final class DemoCommand implements Callable<Integer> {

  @Option(
      names = "--messages",
      paramLabel = "N",
      defaultValue = "" + DemoOptions.DEFAULT_MESSAGES,
      description = "Shipment updates to publish. Default: ${DEFAULT-VALUE}.")
  private int messages;

  @Option(
      names = "--seed",
      paramLabel = "S",
      defaultValue = "" + DemoOptions.DEFAULT_SEED,
      description = "Decides who gets what, and in which order. Default: ${DEFAULT-VALUE}.")
  private long seed;

  @Option(names = "--keep", description = "Leave data and logs, and say how to look at them.")
  private boolean keep;

  @Option(names = "--json", description = "Print one JSON object on stdout and nothing else.")
  private boolean json;

  @Option(
      names = {"-h", "--help"},
      usageHelp = true,
      description = "Show this help and exit.")
  @SuppressWarnings("unused") // picocli acts on it
  private boolean help;

  @Spec private @Nullable CommandSpec command;

  @Override
  public Integer call() {
    CommandLine line = requireNonNull(command).commandLine();
    try {
      Demo.Outcome outcome = Demo.run(options(line), ProgressOnStderr.create());
      DemoReport report = outcome.report();
      line.getOut().println(json ? report.toJson().encode() : report.render());
      (json ? line.getErr() : line.getOut()).print(outcome.howToLook());
      line.getOut().flush();
      return report.exitCode();
    } catch (ScenarioException e) {
      line.getErr().println("weir: the demo could not be run to its end: " + e.getMessage());
      return ExitCodes.REFUSED;
    }
  }

  private DemoOptions options(CommandLine line) {
    try {
      return new DemoOptions(messages, seed, keep);
    } catch (IllegalArgumentException e) {
      throw new ParameterException(line, "--" + e.getMessage(), e);
    }
  }
}
