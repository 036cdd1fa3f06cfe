package dev.weir.domain.time;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Instant;
import java.util.TimeZone;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.LongRange;
import net.jqwik.api.constraints.StringLength;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class InstantsTest {

  @ParameterizedTest
  @CsvSource({
    "2026-03-29T01:30:00Z,           2026-03-29T01:30:00Z",
    "2026-03-29T01:30:00+01:00,      2026-03-29T00:30:00Z",
    "2026-10-25T01:30:00+01:00,      2026-10-25T00:30:00Z",
    "2026-10-25T01:30:00+00:00,      2026-10-25T01:30:00Z",
    "2026-10-25T01:30:00-00:28,      2026-10-25T01:58:00Z",
    "2026-10-25T01:30:00-07:28,      2026-10-25T08:58:00Z",
    "2026-10-25T01:30:00+14:00,      2026-10-24T11:30:00Z",
    "2026-10-25t01:30:00z,           2026-10-25T01:30:00Z",
    "2026-10-25T01:30:00.5Z,         2026-10-25T01:30:00.500Z",
    "2026-10-25T01:30:00.123456789Z, 2026-10-25T01:30:00.123Z",
    "1969-12-31T23:59:59.999Z,       1969-12-31T23:59:59.999Z",
    "2028-02-29T00:00:00Z,           2028-02-29T00:00:00Z",
  })
  void readsExplicitOffsets(String text, Instant expected) {
    assertThat(Instants.parse(text)).isEqualTo(expected.toEpochMilli());
  }

  @ParameterizedTest
  @CsvSource({
    "2026-03-29T01:30:00,                      has no offset",
    "2026-10-25T01:30,                         has no offset",
    "2026-10-25 01:30:00,                      has no offset",
    "2026-06-30T23:59:60Z,                     leap second",
    "2026-10-25T01:30:00+01:00[Europe/Berlin], zone in brackets",
    "2026-10-25T01:30:00[Europe/Berlin],       zone in brackets",
    "2026-02-29T00:00:00Z,                     doesn't exist",
    "2026-10-25T24:00:00Z,                     doesn't exist",
    "2026-10-25T01:30:00+24:00,                outside -23:59 to +23:59",
    "2026-10-25T01:30:00.1234567890Z,          no RFC 3339 instant",
    "2026-10-25T01:30:00.Z,                    no RFC 3339 instant",
    "2026-10-25T01:30Z,                        no RFC 3339 instant",
    "2026-10-25T01:30:00+0100,                 no RFC 3339 instant",
    "2026-10-25T01:30:00+01,                   no RFC 3339 instant",
    "20261025T013000Z,                         no RFC 3339 instant",
    "2026-10-25,                               no RFC 3339 instant",
    "'',                                       no RFC 3339 instant",
    "1796126400,                               no RFC 3339 instant",
    "٢٠٢٦-10-25T01:30:00Z,                     no RFC 3339 instant",
  })
  void refusesTheRestAndSaysWhy(String text, String why) {
    assertThatThrownBy(() -> Instants.parse(text))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(why);
  }

  @Test
  void givesTheSameWhateverTheServersZone() {
    TimeZone before = TimeZone.getDefault();
    try {
      for (String zone : new String[] {"Europe/London", "Asia/Kolkata", "America/St_Johns"}) {
        TimeZone.setDefault(TimeZone.getTimeZone(zone));
        assertThat(Instants.format(Instants.parse("2026-10-25T01:30:00+01:00")))
            .isEqualTo("2026-10-25T00:30:00.000Z");
      }
    } finally {
      TimeZone.setDefault(before);
    }
  }

  @Property
  void formattingAndParsingAreInverse(
      @ForAll @LongRange(min = -62_167_219_200_000L, max = 253_402_300_799_999L) long epochMs) {
    assertThat(Instants.format(epochMs)).hasSize(24);
    assertThat(Instants.parse(Instants.format(epochMs))).isEqualTo(epochMs);
  }

  @Property
  void onlyEverRefusesWithAnIllegalArgument(@ForAll @StringLength(max = 30) String text) {
    assertThatThrownBy(() -> Instants.parse(text)).isInstanceOf(IllegalArgumentException.class);
  }
}
