package dev.weir.scenarios.text;

import java.util.ArrayList;
import java.util.List;

/**
 * Rows under headings, columns as wide as their widest cell; {@code >} before a heading aligns
 * right.
 */
public final class TextTable {

  private static final String GAP = "  ";

  private final List<String> headings = new ArrayList<>();
  private final List<Boolean> right = new ArrayList<>();
  private final List<List<String>> rows = new ArrayList<>();

  public TextTable(String... headings) {
    for (String heading : headings) {
      boolean alignRight = heading.startsWith(">");
      right.add(alignRight);
      this.headings.add(alignRight ? heading.substring(1) : heading);
    }
  }

  public TextTable row(Object... cells) {
    if (cells.length != headings.size()) {
      throw new IllegalArgumentException(
          cells.length + " cells for " + headings.size() + " columns");
    }
    List<String> row = new ArrayList<>();
    for (Object cell : cells) {
      row.add(String.valueOf(cell));
    }
    rows.add(row);
    return this;
  }

  public String render() {
    List<List<String>> all = new ArrayList<>();
    all.add(headings);
    all.addAll(rows);
    StringBuilder out = new StringBuilder();
    for (List<String> row : all) {
      out.append(line(row, all).stripTrailing()).append('\n');
    }
    return out.toString();
  }

  private String line(List<String> row, List<List<String>> all) {
    StringBuilder line = new StringBuilder();
    for (int column = 0; column < row.size(); column++) {
      String cell = row.get(column);
      String padding = " ".repeat(width(column, all) - cell.length());
      line.append(column == 0 ? "" : GAP)
          .append(right.get(column) ? padding + cell : cell + padding);
    }
    return line.toString();
  }

  private static int width(int column, List<List<String>> all) {
    return all.stream().mapToInt(row -> row.get(column).length()).max().orElse(0);
  }
}
