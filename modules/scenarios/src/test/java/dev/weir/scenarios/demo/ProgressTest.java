package dev.weir.scenarios.demo;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;

class ProgressTest {

  private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
  private final PrintStream out = new PrintStream(bytes, true, StandardCharsets.UTF_8);

  @Test
  void aFrameShowsTheBarTheRateAndWhyEachWaits() {
    List<String> lines = Frame.lines(view(2_000), 100);

    assertThat(lines.get(0))
        .isEqualTo(
            "[###############...............]  50 %  600 of 1,200 settled  150/s  429s 7  2.0 s");
    assertThat(lines.get(2))
        .startsWith("  store_strict")
        .endsWith("asked to wait, gate opens in 1.2 s");
  }

  @Test
  void theBarKnowsThatMoreIsStillBeingPublished() {
    DemoView half = new DemoView(500, 1_000, 600, 600, 0, 0, 0, List.of());

    assertThat(half.fraction()).isEqualTo(0.5);
  }

  @Test
  void linesNeverWrap() {
    assertThat(Frame.lines(view(0), 30)).allMatch(line -> line.length() <= 30);
  }

  @Test
  void aTerminalIsRedrawnInPlaceAndLeftAloneAfterTheEnd() {
    TerminalProgress progress = new TerminalProgress(out, 80);

    progress.update(view(0));
    progress.update(view(200));
    progress.end();
    progress.phase("next");

    String text = bytes.toString(StandardCharsets.UTF_8);
    assertThat(text)
        .containsOnlyOnce("\u001b[4A\u001b[J")
        .endsWith("next" + System.lineSeparator());
  }

  @Test
  void plainLinesComeNowAndThenWithoutControlCharacters() {
    PlainProgress progress = new PlainProgress(out);

    progress.update(view(0));
    progress.update(view(200));
    progress.update(view(PlainProgress.EVERY_MS));

    String text = bytes.toString(StandardCharsets.UTF_8);
    assertThat(text.lines().filter(line -> line.startsWith("["))).hasSize(2);
    assertThat(text).doesNotContain("\u001b").contains("store_strict: 40 waiting, asked to wait");
  }

  private static DemoView view(long elapsedMs) {
    return new DemoView(
        1_000,
        1_000,
        1_200,
        600,
        150,
        7,
        elapsedMs,
        List.of(
            new DemoView.Line("store_strict", 60, 0, 40, "asked to wait, gate opens in 1.2 s"),
            new DemoView.Line("store_fast", 540, 0, 0, "")));
  }
}
