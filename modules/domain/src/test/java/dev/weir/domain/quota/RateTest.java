package dev.weir.domain.quota;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class RateTest {

  @ParameterizedTest
  @CsvSource({
    "5/s, 1, 200000",
    "0.5/s, 1, 2000000",
    "10/min, 1, 6000000",
    "5/h, 1, 720000000",
    "1/day, 1, 86400000000",
    "100000/s, 1, 10",
    "3/s, 3, 1000000",
    "0, 0, 1",
    "0/s, 0, 1",
    "unlimited, 0, 0"
  })
  void readsExactFractions(String text, long tokens, long periodMicros) {
    assertThat(Rate.parse(text)).isEqualTo(new Rate(tokens, periodMicros));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"", "5", "5/m", "-1/s", "1e3/s", "5 /s", "0.0000001/s", "5/S", "1/0s", "x/s"})
  void refusesOtherForms(String text) {
    assertThatThrownBy(() -> Rate.parse(text))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("NUMBER/UNIT");
  }

  @ParameterizedTest
  @ValueSource(strings = {"100000.000001/s", "0.999999/day", "6000001/min"})
  void refusesRatesOutOfRange(String text) {
    assertThatThrownBy(() -> Rate.parse(text)).hasMessageContaining("outside 1/day to 100000/s");
  }

  @ParameterizedTest
  @CsvSource({
    "5/s, 5/s",
    "0.5/s, 0.5/s",
    "10/min, 10/min",
    "5/h, 5/h",
    "1/day, 1/day",
    "60/min, 1/s",
    "unlimited, unlimited",
    "0, 0",
    "100000/s, 100000/s",
    "99999.999999/s, 99999.999999/s"
  })
  void writesTheShortestUnit(String text, String written) {
    assertThat(Rate.parse(text)).hasToString(written);
  }

  @Property
  void readsWhatItWrites(@ForAll @IntRange(min = 1, max = 999_999_999) int micro) {
    Rate rate = Rate.parse(new java.math.BigDecimal(micro).movePointLeft(4).toPlainString() + "/s");
    assertThat(Rate.parse(rate.toString())).isEqualTo(rate);
  }

  @Test
  void theDefaultBurstHasRoomForTwentyMilliseconds() {
    assertThat(Quota.defaultBurst(Rate.parse("0.5/s"))).isEqualTo(3);
    assertThat(Quota.defaultBurst(Rate.parse("1000/s"))).isEqualTo(22);
    assertThat(Quota.defaultBurst(Rate.parse("100000/s"))).isEqualTo(2002);
    assertThat(Quota.defaultBurst(Rate.UNLIMITED)).isEqualTo(2);
  }

  @Test
  void countsTheTokensOfASpan() {
    Rate rate = Rate.parse("3/s");
    assertThat(rate.tokensIn(1_500_000, false)).isEqualTo(4);
    assertThat(rate.tokensIn(1_500_000, true)).isEqualTo(5);
  }
}
