package dev.weir.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class NodeConfigTest {

  @Test
  void theDefaultsAreWithinTheirBounds() {
    assertThat(NodeConfig.defaults("n1", 2).maxAttempts()).isEqualTo(2_000);
  }

  @Test
  void allProblemsAreToldAtOnce() {
    assertThatThrownBy(() -> new NodeConfig("a b", 0, -1, 5, Duration.ZERO, Duration.ofMinutes(1)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContainingAll(
            "node.name",
            "node.lanes",
            "node.maxAttempts",
            "node.maxBodyBytes",
            "node.idleAfter",
            "node.deadLetterRetention");
  }
}
