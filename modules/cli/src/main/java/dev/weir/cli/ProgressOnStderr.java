package dev.weir.cli;

import dev.weir.scenarios.Progress;
import dev.weir.scenarios.demo.PlainProgress;
import dev.weir.scenarios.demo.TerminalProgress;
import java.io.Console;

/** How a long run shows where it is: live in a terminal, in lines elsewhere; never on stdout. */
final class ProgressOnStderr {

  private static final int DEFAULT_WIDTH = 80;

  private ProgressOnStderr() {}

  static Progress create() {
    return isTerminal()
        ? new TerminalProgress(System.err, terminalWidth())
        : new PlainProgress(System.err);
  }

  /**
   * Up to Java 21 there is a console only when stdin and stdout are both a terminal; from 22 on
   * there always is one, and it says itself. Where nobody can tell (a TERM of dumb), lines are
   * plain.
   */
  @SuppressWarnings("SystemConsoleNull")
  private static boolean isTerminal() {
    Console console = System.console();
    String term = System.getenv("TERM");
    if (console == null || term == null || term.equals("dumb")) {
      return false;
    }
    try {
      return (boolean) Console.class.getMethod("isTerminal").invoke(console);
    } catch (ReflectiveOperationException olderJava) {
      return true;
    }
  }

  private static int terminalWidth() {
    String columns = System.getenv("COLUMNS");
    return columns != null && columns.matches("[1-9]\\d{1,3}")
        ? Integer.parseInt(columns)
        : DEFAULT_WIDTH;
  }
}
