package dev.weir.scenarios.text;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class TextTableTest {

  @Test
  void columnsAreAsWideAsTheirWidestCell() {
    String table = new TextTable("name", ">n").row("a", 1).row("longer", "1,234").render();

    assertThat(table)
        .isEqualTo(
            """
            name        n
            a           1
            longer  1,234
            """);
  }

  @Test
  void aRowMustFillEveryColumn() {
    assertThatThrownBy(() -> new TextTable("a", "b").row("x")).hasMessage("1 cells for 2 columns");
  }

  @Test
  void spansAreInTheUnitThatSuitsThem() {
    assertThat(Words.span(12_300)).isEqualTo("12 µs");
    assertThat(Words.span(1_250_000)).isEqualTo("1.3 ms");
    assertThat(Words.span(2_000_000_000)).isEqualTo("2.0 s");
  }

  @Test
  void aBarIsFullAtTheEndAndNeverLonger() {
    assertThat(Words.bar(0, 4)).isEqualTo("[....]");
    assertThat(Words.bar(0.5, 4)).isEqualTo("[##..]");
    assertThat(Words.bar(1.2, 4)).isEqualTo("[####]");
  }
}
