package dev.weir.scenarios.demo;

import dev.weir.scenarios.text.TextTable;
import dev.weir.scenarios.text.Words;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** A {@link DemoView} as text. */
final class Frame {

  private static final int BAR = 30;

  private Frame() {}

  /** The headline alone. */
  static String headline(DemoView view) {
    return String.format(
        Locale.ROOT,
        "%s %3.0f %%  %s of %s settled  %.0f/s  429s %s  %s",
        Words.bar(view.fraction(), BAR),
        view.fraction() * 100,
        Words.count(view.settled()),
        Words.count(view.accepted()),
        view.perSecond(),
        Words.count(view.status429()),
        Words.seconds(view.elapsedMs()));
  }

  /** The headline and a line per subscriber, none longer than {@code width}. */
  static List<String> lines(DemoView view, int width) {
    TextTable table = new TextTable("subscriber", ">delivered", ">dead", ">waiting", "why");
    for (DemoView.Line line : view.lines()) {
      table.row(
          line.subscriber(),
          Words.count(line.delivered()),
          Words.count(line.dead()),
          Words.count(line.waiting()),
          line.why());
    }
    List<String> lines = new ArrayList<>();
    lines.add(cut(headline(view), width));
    table.render().lines().map(line -> cut("  " + line, width)).forEach(lines::add);
    return lines;
  }

  private static String cut(String line, int width) {
    return line.length() <= width ? line : line.substring(0, width);
  }
}
