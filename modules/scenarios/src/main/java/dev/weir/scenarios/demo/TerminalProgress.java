package dev.weir.scenarios.demo;

import dev.weir.scenarios.Progress;
import java.io.PrintStream;
import java.util.List;

/** Redraws one block in place; for terminals only. */
public final class TerminalProgress implements Progress {

  private static final String UP_AND_CLEAR = "\u001b[%dA\u001b[J";

  private final PrintStream out;
  private final int width;
  private int drawn;

  /**
   * @param width columns; longer lines are cut, since a wrapped one would break the redraw
   */
  public TerminalProgress(PrintStream out, int width) {
    this.out = out;
    this.width = Math.max(20, width);
  }

  @Override
  public void phase(String what) {
    erase();
    out.println(what);
    out.flush();
  }

  @Override
  public void update(DemoView view) {
    List<String> lines = Frame.lines(view, width);
    erase();
    lines.forEach(out::println);
    out.flush();
    drawn = lines.size();
  }

  @Override
  public void end() {
    drawn = 0;
  }

  private void erase() {
    if (drawn > 0) {
      out.printf(UP_AND_CLEAR, drawn);
      drawn = 0;
    }
  }
}
