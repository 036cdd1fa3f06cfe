package dev.weir.cli.output;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import picocli.CommandLine.Help.Ansi;

class TableTest {

  @Test
  void columnsAreAsWideAsTheirWidestCell() {
    Table table =
        new Table("NAME", ">COUNT", "WHY").row("a", "1", "x").row("longer", "12345678", "");

    assertThat(table.render(Ansi.OFF).lines())
        .containsExactly("NAME       COUNT  WHY", "a              1  x", "longer  12345678");
  }

  @Test
  void charactersBeyondTheBasicPlaneCountAsOne() {
    assertThat(new Table("A", "B").row("😀", "x").row("zz", "y").render(Ansi.OFF).lines())
        .containsExactly("A   B", "😀   x", "zz  y");
  }

  @Test
  void cellsNeverReachTheTerminalRaw() {
    assertThat(new Table("A").row("\u001b[2J\n\u202e").render(Ansi.OFF))
        .endsWith("\\u001b[2J\\u000a\\u202e");
  }

  @Test
  void onlyTheHeadingIsBold() {
    assertThat(new Table("A").row("b").render(Ansi.ON).lines())
        .containsExactly("\u001b[1mA\u001b[0m", "b");
  }

  @Test
  void aRowOfAnotherWidthIsAMistake() {
    assertThatThrownBy(() -> new Table("A", "B").row("only"))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
