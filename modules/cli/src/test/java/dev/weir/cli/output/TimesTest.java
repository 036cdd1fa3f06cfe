package dev.weir.cli.output;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TimesTest {

  private final Times times = new Times(InstantSource.fixed(Instant.parse("2026-12-01T12:00:00Z")));

  @ParameterizedTest
  @CsvSource({
    "2026-12-01T11:59:59.750Z,2026-12-01 11:59:59.750Z (250ms ago)",
    "2026-12-01T12:55:00+01:00,2026-12-01 11:55:00.000Z (5min ago)",
    "2026-12-04T12:00:00Z,2026-12-04 12:00:00.000Z (in 3d)",
    "soon,soon"
  })
  void instantsAreShownInUtcWithTheirAge(String instant, String shown) {
    assertThat(times.withAge(instant)).isEqualTo(shown);
  }

  @Test
  void whatIsMissingIsADash() {
    assertThat(times.withAge(null)).isEqualTo("-");
    assertThat(Times.offset("2026-12-01T12:00:00Z", null)).isEqualTo("-");
  }

  @ParameterizedTest
  @CsvSource({"PT0.9S,900ms", "PT119S,119s", "PT2M,2min", "PT3H,3h", "PT47H59M,47h", "P9D,9d"})
  void durationsKeepWhatMatters(Duration duration, String words) {
    assertThat(Times.words(duration)).isEqualTo(words);
  }
}
