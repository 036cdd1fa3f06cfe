package dev.weir.domain.outcome;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.Locale;
import java.util.stream.Stream;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.LongRange;
import net.jqwik.api.constraints.StringLength;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

final class RetryAfterTest {

  private static final long NOW = Instant.parse("2026-12-01T12:00:00Z").toEpochMilli();

  @ParameterizedTest
  @CsvSource({
    "0, 0",
    "17, 17000",
    "' 17\t', 17000",
    "007, 7000",
    "86400, 86400000",
    "604800, 604800000",
    "604801, 604801000",
    "2147484, 2147484000",
    "9999999999, 9999999999000",
    "9007199254740, 9007199254740000",
    "9007199254741, 9007199254740991",
    "18446744073709551617, 9007199254740991",
  })
  void readsWholeSecondsAndSaturates(String header, long expectedMs) {
    assertThat(RetryAfter.parse(header, null, NOW)).isEqualTo(new RetryAfter.Wait(expectedMs));
  }

  @Test
  void takesFourHundredDigits() {
    assertThat(RetryAfter.parse("9".repeat(400), null, NOW))
        .isEqualTo(new RetryAfter.Wait(RetryAfter.MAX_WAIT_MS));
    assertThat(RetryAfter.parse("0".repeat(399) + "5", null, NOW))
        .isEqualTo(new RetryAfter.Wait(5_000));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "Tue, 01 Dec 2026 12:01:30 GMT",
        "Tuesday, 01-Dec-26 12:01:30 GMT",
        "Tue Dec  1 12:01:30 2026",
        "Tue Dec 01 12:01:30 2026"
      })
  void readsTheThreeDateForms(String header) {
    assertThat(RetryAfter.parse(header, null, NOW)).isEqualTo(new RetryAfter.Wait(90_000));
  }

  @Test
  void measuresADateAgainstTheResponsesOwnDate() {
    String serverNow = "Tue, 01 Dec 2026 11:58:00 GMT";
    String retryAt = "Tue, 01 Dec 2026 11:58:30 GMT";

    assertThat(RetryAfter.parse(retryAt, serverNow, NOW)).isEqualTo(new RetryAfter.Wait(30_000));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"Tue, 01 Dec 2020 11:58:00 GMT", "yesterday", "", "Fri, 04 Dec 2026 12:00:00 GMT"})
  void fallsBackToOurClockWhenTheDateIsNotBelievable(String date) {
    assertThat(RetryAfter.parse("Tue, 01 Dec 2026 12:00:10 GMT", date, NOW))
        .isEqualTo(new RetryAfter.Wait(10_000));
  }

  @Test
  void aDateThatHasPassedMeansAtOnce() {
    assertThat(RetryAfter.parse("Sun, 06 Nov 1994 08:49:37 GMT", null, NOW))
        .isEqualTo(new RetryAfter.Wait(0));
    assertThat(RetryAfter.parse("Sunday, 06-Nov-94 08:49:37 GMT", null, NOW))
        .isEqualTo(new RetryAfter.Wait(0));
  }

  @Test
  void takesADateInTheYear9999() {
    RetryAfter parsed = RetryAfter.parse("Fri, 31 Dec 9999 23:59:59 GMT", null, NOW);

    assertThat(parsed.waitMs().orElseThrow())
        .isEqualTo(Instant.parse("9999-12-31T23:59:59Z").toEpochMilli() - NOW);
  }

  @Test
  void aLeapSecondInADateIsTheSecondAfter() {
    assertThat(RetryAfter.parse("Tue, 01 Dec 2026 12:00:60 GMT", null, NOW))
        .isEqualTo(new RetryAfter.Wait(60_000));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        " ",
        "-1",
        "+5",
        "17.5",
        "1e3",
        "17s",
        "0x10",
        "soon",
        "17, 18",
        "١٧",
        "Tue, 31 Feb 2026 12:00:00 GMT",
        "Tue, 01 Dec 2026 25:00:00 GMT",
        "Tue, 01 Dec 2026 12:00:61 GMT",
        "Tue, 01 Dec 2026 12:00:00 +0100",
        "tue, 01 dec 2026 12:00:00 gmt",
        "2026-12-01T12:00:00Z",
        "Tue, 1 Dec 2026 12:00:00 GMT"
      })
  void ignoresAndReportsAnythingElse(String header) {
    assertThat(RetryAfter.parse(header, null, NOW)).isEqualTo(new RetryAfter.Ignored(header));
  }

  @Test
  void tellsAbsentFromIgnored() {
    assertThat(RetryAfter.parse(null, null, NOW)).isEqualTo(new RetryAfter.Absent());
  }

  @Property
  void neverThrowsAndNeverWaitsNegatively(
      @ForAll @StringLength(max = 40) String header, @ForAll @StringLength(max = 40) String date) {
    RetryAfter.parse(header, date, NOW).waitMs().ifPresent(ms -> assertThat(ms).isNotNegative());
  }

  @ParameterizedTest
  @MethodSource("locales")
  void readsDatesTheSameInEveryLocale(Locale locale) {
    Locale before = Locale.getDefault();
    try {
      Locale.setDefault(locale);
      assertThat(RetryAfter.parse("Tue, 01 Dec 2026 12:01:30 GMT", null, NOW))
          .isEqualTo(new RetryAfter.Wait(90_000));
    } finally {
      Locale.setDefault(before);
    }
  }

  static Stream<Locale> locales() {
    return Stream.of(Locale.GERMANY, new Locale("ar", "EG"), new Locale("th", "TH", "TH"));
  }

  @Property
  void everySecondOfTheCalendarSurvivesTheFixdate(
      @ForAll @LongRange(min = 0, max = 253_402_300_799L) long epochSecond) {
    String header =
        java.time.format.DateTimeFormatter.ofPattern(
                "EEE, dd MMM uuuu HH:mm:ss 'GMT'", Locale.ENGLISH)
            .format(Instant.ofEpochSecond(epochSecond).atOffset(java.time.ZoneOffset.UTC));
    assertThat(RetryAfter.parse(header, null, 0))
        .isEqualTo(new RetryAfter.Wait(epochSecond * 1000));
  }
}
