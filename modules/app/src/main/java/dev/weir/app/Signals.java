package dev.weir.app;

import dev.weir.cli.ExitCodes;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import sun.misc.Signal;

/**
 * What ends the process. SIGTERM and SIGINT begin an orderly stop, after which it exits with 0; a
 * second one exits at once. The stop itself is a shutdown hook, so that it also runs when the
 * process ends in another way that Java hears of.
 */
final class Signals {

  private static final long NEVER = Long.MIN_VALUE;
  private static final int SIGNAL_EXIT_BASE = 128;

  /** Some tools send the same signal to the process and to its group: that is no second wish. */
  private static final long SAME_WISH_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

  private final AtomicLong toldAtNanos = new AtomicLong(NEVER);

  private Signals() {}

  static void stopWith(Runnable stop) {
    Runtime.getRuntime().addShutdownHook(new Thread(stop, "weir-stop"));
    Signals signals = new Signals();
    Signal.handle(new Signal("TERM"), signals::received);
    Signal.handle(new Signal("INT"), signals::received);
  }

  private void received(Signal signal) {
    long nowNanos = System.nanoTime();
    if (toldAtNanos.compareAndSet(NEVER, nowNanos)) {
      System.err.println(
          "weir: SIG"
              + signal.getName()
              + ": finishing what is under way; once more exits at once");
      // On a thread of its own: exit waits for the hook, and signals share one thread.
      new Thread(() -> System.exit(ExitCodes.OK), "weir-exit").start();
    } else if (nowNanos - toldAtNanos.get() > SAME_WISH_NANOS) {
      System.err.println("weir: SIG" + signal.getName() + " again: exiting at once");
      Runtime.getRuntime().halt(SIGNAL_EXIT_BASE + signal.getNumber());
    }
  }
}
