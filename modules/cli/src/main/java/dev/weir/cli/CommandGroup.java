package dev.weir.cli;

import static java.util.Objects.requireNonNull;

import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** A command that does nothing itself: it wants one of its subcommands. */
abstract class CommandGroup implements Runnable {

  @Option(
      names = {"-h", "--help"},
      usageHelp = true,
      description = "Show this help and exit.")
  @SuppressWarnings("unused") // picocli acts on it
  private boolean help;

  @Spec private @Nullable CommandSpec command;

  @Override
  public void run() {
    CommandSpec spec = requireNonNull(command);
    throw new ParameterException(
        spec.commandLine(),
        spec.qualifiedName() + " needs one of: " + String.join(", ", spec.subcommands().keySet()));
  }
}
