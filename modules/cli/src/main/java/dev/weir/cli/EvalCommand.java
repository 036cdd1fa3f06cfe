package dev.weir.cli;

import static java.util.Objects.requireNonNull;

import dev.weir.scenarios.Eval;
import dev.weir.scenarios.EvalOptions;
import dev.weir.scenarios.EvalReport;
import dev.weir.scenarios.process.ScenarioException;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Runs the fixed cases; progress goes to stderr, traces and verdicts to stdout. */
@Command(
    name = "eval",
    description = {
      "Run fixed cases of trouble against a real node and receiver, and judge each by its trace.",
      "The invariant of each: one business operation, one durable outcome. Exits with 1 on a failure."
    },
    footerHeading = "%nExamples:%n",
    footer = {"  weir eval", "  weir eval --list", "  weir eval --case NAME --json"})
final class EvalCommand implements Callable<Integer> {

  @Option(names = "--case", paramLabel = "NAME", description = "Run only this one.")
  private @Nullable String only;

  @Option(names = "--list", description = "Print the names of the cases and run none.")
  private boolean list;

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
    if (list) {
      Eval.caseNames().forEach(line.getOut()::println);
      return ExitCodes.OK;
    }
    if (only != null && !Eval.caseNames().contains(only)) {
      throw new ParameterException(
          line,
          "there is no case '" + only + "'; there are: " + String.join(", ", Eval.caseNames()));
    }
    try {
      EvalReport report = Eval.run(new EvalOptions(only), ProgressOnStderr.create());
      line.getOut().println(json ? report.toJson().encode() : report.render());
      return report.exitCode();
    } catch (ScenarioException e) {
      line.getErr().println("weir: the cases could not be run to their end: " + e.getMessage());
      return ExitCodes.REFUSED;
    }
  }
}
