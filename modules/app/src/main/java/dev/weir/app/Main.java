package dev.weir.app;

import dev.weir.cli.WeirCommand;
import java.util.List;

/** The one entry point: {@code weir COMMAND}. */
public final class Main {

  private Main() {}

  public static void main(String[] arguments) {
    // Before anything of Vert.x is loaded: it asks once.
    System.setProperty(
        "vertx.logger-delegate-factory-class-name",
        "io.vertx.core.logging.SLF4JLogDelegateFactory");
    System.exit(WeirCommand.create(List.of(new ServerCommand())).execute(arguments));
  }
}
