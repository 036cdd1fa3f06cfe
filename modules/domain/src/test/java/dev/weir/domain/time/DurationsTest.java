package dev.weir.domain.time;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.LongRange;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class DurationsTest {

  @ParameterizedTest
  @CsvSource({"250ms, PT0.25S", "15s, PT15S", "5min, PT5M", "1h, PT1H", "7d, P7D", "0ms, PT0S"})
  void readsAndWritesTheFiveUnits(String text, Duration expected) {
    assertThat(Durations.parse(text)).isEqualTo(expected);
    assertThat(Durations.format(expected)).isEqualTo(text);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"", "5", "s", "-5s", "+5s", "1.5s", "5 s", "5S", "5m", "PT5S", "99999999999d"})
  void refusesTheRest(String text) {
    assertThatThrownBy(() -> Durations.parse(text))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("is no duration");
  }

  @Property
  void formattingAndParsingAreInverse(@ForAll @LongRange(min = 0, max = 9_999_999_999L) long ms) {
    assertThat(Durations.parse(Durations.format(Duration.ofMillis(ms))))
        .isEqualTo(Duration.ofMillis(ms));
  }
}
