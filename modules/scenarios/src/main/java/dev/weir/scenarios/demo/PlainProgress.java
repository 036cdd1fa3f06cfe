package dev.weir.scenarios.demo;

import dev.weir.scenarios.Progress;
import java.io.PrintStream;

/** A line now and then; for pipes and logs. */
public final class PlainProgress implements Progress {

  static final long EVERY_MS = 2_000;

  private final PrintStream out;
  private long nextMs;

  public PlainProgress(PrintStream out) {
    this.out = out;
  }

  @Override
  public void phase(String what) {
    out.println(what);
  }

  @Override
  public void update(DemoView view) {
    if (view.elapsedMs() < nextMs) {
      return;
    }
    nextMs = view.elapsedMs() + EVERY_MS;
    out.println(Frame.headline(view));
    for (DemoView.Line line : view.lines()) {
      if (line.waiting() > 0) {
        out.println("    " + line.subscriber() + ": " + line.waiting() + " waiting, " + line.why());
      }
    }
  }

  @Override
  public void end() {
    out.flush();
  }
}
