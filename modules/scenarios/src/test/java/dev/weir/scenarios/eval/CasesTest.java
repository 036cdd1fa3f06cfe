package dev.weir.scenarios.eval;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.List;
import org.junit.jupiter.api.Test;

class CasesTest {

  @Test
  void everyClockChangeIsApproachedFromBothOffsets() {
    List<String> texts = Cases.aroundClockChanges(Instant.parse("2026-12-01T00:00:00Z"));

    assertThat(texts)
        .contains(
            // The hour that is left out in spring, written as if it existed, and as it is.
            "2027-03-28T02:30:00+01:00",
            "2027-03-28T03:30:00+02:00",
            // The hour that comes twice in autumn: both of it.
            "2027-10-31T02:30:00+02:00",
            "2027-10-31T02:30:00+01:00");
    assertThat(texts.stream().map(text -> OffsetDateTime.parse(text).toInstant()).distinct())
        .hasSize(6);
  }

  @Test
  void namesAreUniqueAndFitAPath() {
    assertThat(Cases.all().stream().map(EvalCase::name))
        .doesNotHaveDuplicates()
        .allMatch(name -> name.matches("[a-z0-9-]+"));
  }
}
