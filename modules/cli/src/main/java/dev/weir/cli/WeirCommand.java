package dev.weir.cli;

import static java.util.Objects.requireNonNull;

import dev.weir.cli.api.NodeFailure;
import dev.weir.cli.output.Text;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Help.Ansi;
import picocli.CommandLine.IVersionProvider;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.Spec;

/** The root of the command line; {@code app} adds the commands that run a node. */
@Command(
    name = "weir",
    description = "Delivers messages to other people's HTTP APIs at the pace those APIs allow.",
    versionProvider = WeirCommand.Version.class,
    synopsisSubcommandLabel = "COMMAND",
    subcommands = {
      DemoCommand.class,
      EvalCommand.class,
      PublishCommand.class,
      SubscribersCommand.class,
      QuotasCommand.class,
      DeliveriesCommand.class,
      DeadLettersCommand.class,
      RedriveCommand.class,
      ReconciliationCommand.class,
      CancelCommand.class,
      PauseCommand.class,
      ResumeCommand.class,
      BalanceCommand.class,
      HealthCommand.class,
      ReceiverCommand.class,
      CompletionCommand.class
    },
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:done",
      "1:the operation said no: refused (4xx), a balance that does not hold, a failed run",
      "2:the command line is wrong",
      "3:no node answers at the URL",
      "4:the node answered 5xx: it can't do it now",
      "70:a fault in weir itself"
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  weir server                                        start a node",
      "  weir subscribers put store_17 --endpoint http://127.0.0.1:9000/hooks --rate 5/s",
      "  weir publish --to store_17 --body '{\"hello\":\"world\"}'",
      "  weir COMMAND --help"
    })
public final class WeirCommand implements Runnable {

  @Option(
      names = {"-h", "--help"},
      usageHelp = true,
      description = "Show this help and exit.")
  @SuppressWarnings("unused") // picocli acts on it
  private boolean help;

  @Option(
      names = {"-V", "--version"},
      versionHelp = true,
      description = "Show the version and exit.")
  @SuppressWarnings("unused") // picocli acts on it
  private boolean version;

  @Spec private CommandLine.Model.@Nullable CommandSpec command;

  /**
   * The whole command line.
   *
   * @param more annotated commands that other modules add, shown first
   */
  public static CommandLine create(List<Object> more) {
    CommandLine line = new CommandLine(new WeirCommand());
    more.forEach(line::addSubcommand);
    line.setParameterExceptionHandler(WeirCommand::wrongUsage);
    line.setExecutionExceptionHandler(WeirCommand::failed);
    return line;
  }

  @Override
  public void run() {
    requireNonNull(command).commandLine().usage(command.commandLine().getOut());
  }

  /** One line of what is wrong and one of where to read more: a whole usage page would bury it. */
  private static int wrongUsage(ParameterException problem, String[] arguments) {
    CommandLine line = problem.getCommandLine();
    line.getErr().println(error(line, String.valueOf(problem.getMessage())));
    CommandLine.UnmatchedArgumentException.printSuggestions(problem, line.getErr());
    line.getErr().println("See '" + line.getCommandSpec().qualifiedName() + " --help'.");
    return ExitCodes.USAGE;
  }

  private static int failed(Exception failure, CommandLine line, ParseResult parsed) {
    if (failure instanceof NodeFailure refusal) {
      if (refusal.body() != null && line.getParseResult().hasMatchedOption("--json")) {
        line.getOut().println(refusal.body().strip());
      }
      line.getErr().println(error(line, String.valueOf(refusal.getMessage())));
      return refusal.exitCode();
    }
    line.getErr().println(error(line, "a fault in weir itself, please report it:"));
    failure.printStackTrace(line.getErr());
    return ExitCodes.INTERNAL;
  }

  private static String error(CommandLine line, String message) {
    Ansi ansi = line.getColorScheme().ansi();
    String label = ansi.enabled() ? "\u001b[31mweir:\u001b[0m " : "weir: ";
    return label + Text.printable(message);
  }

  /** From the jar's manifest; a class directory has none. */
  static final class Version implements IVersionProvider {
    @Override
    public String[] getVersion() {
      String version = WeirCommand.class.getPackage().getImplementationVersion();
      return new String[] {"weir " + (version == null ? "(unpackaged)" : version)};
    }
  }
}
