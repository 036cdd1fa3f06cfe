package dev.weir.node;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;

class BudgetTest {

  @Test
  void oneAloneGetsHalfOfAllThereIs() {
    assertThat(Budget.grant(5_000, 0, 2_000, 0, 1L << 30, 1_000)).isEqualTo(1_000);
  }

  @Test
  void whoHoldsMoreThanIsFreeGetsNothingMore() {
    assertThat(Budget.grant(10, 700, 600, 0, 1L << 30, 1_000)).isZero();
  }

  @Test
  void greedyOnesComeDownToTheirPartAndLeaveRoomForANewcomer() {
    int free = 2_000;
    int[] held = new int[50];
    for (int round = 0; round < 20; round++) {
      for (int i = 0; i < held.length; i++) {
        int more = Budget.grant(1_000, held[i], free, 0, 1L << 30, 1_000);
        held[i] += more;
        free -= more;
        int ended = held[i] / 2;
        held[i] -= ended;
        free += ended;
      }
    }
    assertThat(Arrays.stream(held).max().orElseThrow()).isLessThan(2 * 2_000 / 51);
    assertThat(Budget.grant(1, 0, free, 0, 1L << 30, 1_000)).isEqualTo(1);
  }

  @Test
  void bytesBoundLikeCounts() {
    assertThat(Budget.grant(100, 0, 2_000, 0, 2_000_000, 250_000)).isLessThanOrEqualTo(5);
    assertThat(Budget.grant(100, 0, 2_000, 2_000_000, 1_000_000, 250_000)).isZero();
  }

  @Property
  void aGrantIsNeverMoreThanWantedOrFree(
      @ForAll @IntRange(max = 2_000) int wanted,
      @ForAll @IntRange(max = 2_000) int held,
      @ForAll @IntRange(max = 2_000) int free) {
    assertThat(Budget.grant(wanted, held, free, 0, 1L << 30, 1_000))
        .isBetween(0, Math.min(wanted, free));
  }
}
