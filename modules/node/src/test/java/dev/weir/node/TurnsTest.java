package dev.weir.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class TurnsTest {

  private final Turns<String> turns = new Turns<>(2);
  private final long now = System.nanoTime();

  @Test
  void theEarliestDeadlineIsFirstAndOnlySoManyAreTaken() {
    turns.want("late", now + 30);
    turns.want("soon", now + 10);
    turns.want("between", now + 20);
    assertThat(turns.next()).isEqualTo("soon");
    assertThat(turns.next()).isEqualTo("between");
    assertThat(turns.next()).isNull();
    turns.over();
    assertThat(turns.next()).isEqualTo("late");
  }

  @Test
  void whoStandsInLineKeepsTheEarlierDeadline() {
    turns.want("a", now + 10);
    turns.want("b", now + 20);
    turns.want("b", now + 5);
    turns.want("a", now + 30);
    assertThat(turns.next()).isEqualTo("b");
    assertThat(turns.next()).isEqualTo("a");
    turns.over();
    assertThat(turns.next()).isNull();
  }

  @Test
  void equalDeadlinesAreTakenInOrderOfName() {
    turns.want("b", now);
    turns.want("a", now);
    assertThat(turns.next()).isEqualTo("a");
    assertThat(turns.next()).isEqualTo("b");
  }

  @Test
  void moreTurnsThanWereTakenCanNotBeOver() {
    assertThatThrownBy(turns::over).isInstanceOf(IllegalStateException.class);
  }
}
