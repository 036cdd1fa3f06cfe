package dev.weir.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.node.Registry.Action;
import dev.weir.node.Registry.Missed;
import org.junit.jupiter.api.Test;

class RegistryTest {

  private final Registry registry = new Registry();

  @Test
  void theFirstHintDeploysAndLaterOnesAreSent() {
    assertThat(registry.hint("s", false)).isEqualTo(Action.DEPLOY);
    assertThat(registry.deployed("s", "d1")).isEqualTo(new Missed(false, false));
    assertThat(registry.hint("s", false)).isEqualTo(Action.SEND);
  }

  @Test
  void hintsDuringActivationAreNotLost() {
    registry.hint("s", false);
    assertThat(registry.hint("s", true)).isEqualTo(Action.NOTHING);
    assertThat(registry.deployed("s", "d1")).isEqualTo(new Missed(true, true));
  }

  @Test
  void idleIsRefusedWhenAHintIsOnItsWay() {
    active();
    registry.hint("s", false);
    assertThat(registry.idle("s", 0)).isEqualTo(Action.NOTHING);
    assertThat(registry.idle("s", 1)).isEqualTo(Action.UNDEPLOY);
  }

  @Test
  void aHintDuringPassivationDeploysAgain() {
    active();
    registry.idle("s", 0);
    assertThat(registry.hint("s", false)).isEqualTo(Action.NOTHING);
    assertThat(registry.undeployed("s")).isEqualTo(Action.DEPLOY);
    assertThat(registry.deployed("s", "d2")).isEqualTo(new Missed(false, false));
  }

  @Test
  void whoeverIsGoneLeavesNothing() {
    active();
    registry.idle("s", 0);
    assertThat(registry.undeployed("s")).isEqualTo(Action.NOTHING);
    assertThat(registry.isEmpty()).isTrue();
  }

  @Test
  void anIllegalMoveNamesBothStates() {
    active();
    assertThatThrownBy(() -> registry.deployed("s", "d2"))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("ACTIVE");
  }

  private void active() {
    registry.hint("s", false);
    registry.deployed("s", "d1");
  }
}
