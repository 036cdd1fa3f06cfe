package dev.weir.domain.quota;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.List;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.LongRange;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;

final class MaxMinTest {

  @Test
  void theModestGetAllAndTheGreedyShareTheRest() {
    assertThat(MaxMin.divide(10, new long[] {2, 100, 100})).containsExactly(2, 4, 4);
    assertThat(MaxMin.divide(11, new long[] {100, 2, 100})).containsExactly(5, 2, 4);
  }

  @Test
  void tooFewForAllGoToThoseWhoStandFirst() {
    assertThat(MaxMin.divide(2, new long[] {5, 5, 5})).containsExactly(1, 1, 0);
    assertThat(MaxMin.divide(0, new long[] {5})).containsExactly(0);
  }

  @Property
  void nobodyGetsMoreThanWantedAndNothingStaysWhileSomebodyWants(
      @ForAll @LongRange(min = 0, max = 1_000_000) long tokens,
      @ForAll @Size(max = 20) List<@LongRange(min = 0, max = 100_000) Long> wanted) {
    long[] wants = wanted.stream().mapToLong(Long::longValue).toArray();
    long[] gets = MaxMin.divide(tokens, wants);
    long given = Arrays.stream(gets).sum();
    assertThat(given).isEqualTo(Math.min(tokens, Arrays.stream(wants).sum()));
    for (int i = 0; i < wants.length; i++) {
      assertThat(gets[i]).isBetween(0L, wants[i]);
      for (int other = 0; other < wants.length; other++) {
        if (gets[i] < wants[i]) {
          assertThat(gets[other]).isLessThanOrEqualTo(gets[i] + 1);
        }
      }
    }
  }
}
