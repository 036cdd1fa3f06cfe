package dev.weir.scenarios.process;

import java.io.IOException;
import java.util.concurrent.TimeUnit;

/** Sends what {@link Process} can't: SIGSTOP, SIGCONT. */
public final class Signals {

  private Signals() {}

  public static void send(long pid, String signal) {
    try {
      Process kill =
          new ProcessBuilder("kill", "-" + signal, String.valueOf(pid))
              .redirectErrorStream(true)
              .redirectOutput(ProcessBuilder.Redirect.DISCARD)
              .start();
      if (!kill.waitFor(5, TimeUnit.SECONDS) || kill.exitValue() != 0) {
        throw new ScenarioException("can't send SIG" + signal + " to process " + pid);
      }
    } catch (IOException e) {
      throw new ScenarioException("no kill command: " + e.getMessage(), e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new ScenarioException("interrupted", e);
    }
  }
}
