package dev.weir.cli.output;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import picocli.CommandLine.Help.Ansi;

/** Rows under headings, each column as wide as its widest cell; numbers to the right. */
public final class Table {

  private static final String GAP = "  ";

  private final List<String> headings;
  private final List<List<String>> rows = new ArrayList<>();

  /** A heading that begins with {@code >} makes its column right-aligned. */
  public Table(String... headings) {
    this.headings = List.of(headings);
  }

  public Table row(String... cells) {
    if (cells.length != headings.size()) {
      throw new IllegalArgumentException(
          cells.length + " cells for " + headings.size() + " columns");
    }
    rows.add(Arrays.stream(cells).map(Text::printable).toList());
    return this;
  }

  /** Lines without a trailing newline on the last. */
  public String render(Ansi ansi) {
    List<String> names =
        headings.stream().map(h -> h.startsWith(">") ? h.substring(1) : h).toList();
    int[] widths = new int[names.size()];
    widen(widths, names);
    rows.forEach(row -> widen(widths, row));
    List<String> lines = new ArrayList<>();
    lines.add(bold(line(names, widths), ansi));
    rows.forEach(row -> lines.add(line(row, widths)));
    return String.join(System.lineSeparator(), lines);
  }

  private static void widen(int[] widths, List<String> cells) {
    for (int i = 0; i < widths.length; i++) {
      widths[i] = Math.max(widths[i], width(cells.get(i)));
    }
  }

  private String line(List<String> cells, int[] widths) {
    StringBuilder line = new StringBuilder();
    for (int i = 0; i < widths.length; i++) {
      String padding = " ".repeat(widths[i] - width(cells.get(i)));
      boolean right = headings.get(i).startsWith(">");
      line.append(i == 0 ? "" : GAP)
          .append(right ? padding + cells.get(i) : cells.get(i) + padding);
    }
    return line.toString().stripTrailing();
  }

  private static int width(String cell) {
    return cell.codePointCount(0, cell.length());
  }

  private static String bold(String line, Ansi ansi) {
    return ansi.enabled() ? "\u001b[1m" + line + "\u001b[0m" : line;
  }
}
