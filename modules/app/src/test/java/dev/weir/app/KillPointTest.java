package dev.weir.app;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.node.Checkpoints;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class KillPointTest {

  @Test
  void withoutThePropertyNothingStops() {
    assertThat(KillPoint.of(null)).isSameAs(Checkpoints.NONE);
  }

  @Test
  void otherPointsAndEarlierPassingsGoOn() {
    Checkpoints point = KillPoint.of("AFTER_WRITE:2");

    point.reached(Checkpoints.Checkpoint.AFTER_CLAIM);
    point.reached(Checkpoints.Checkpoint.AFTER_WRITE);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "AFTER_LUNCH:1", "AFTER_WRITE", "AFTER_WRITE:0"})
  void aPointThatIsNoneIsRefused(String setting) {
    assertThatThrownBy(() -> KillPoint.of(setting))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("AFTER_WRITE");
  }
}
