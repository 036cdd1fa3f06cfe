package dev.weir.scenarios.faults;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.receiver.Arrival;
import dev.weir.receiver.Arrivals;
import dev.weir.scenarios.faults.Repeats.Window;
import java.util.List;
import org.junit.jupiter.api.Test;

class RepeatsTest {

  private static final long SECOND = 1_000_000;

  private final Arrivals takenTwice =
      new Arrivals(List.of(arrival(1, 10 * SECOND, "200", 1), arrival(2, 30 * SECOND, "200", 2)));

  @Test
  void aRepeatOfWhatWasInFlightAtAKillIsExplained() {
    Repeats repeats = Repeats.in(takenTwice, List.of(new Window(10 * SECOND + 5, 10 * SECOND + 9)));

    assertThat(repeats.count()).isOne();
    assertThat(repeats.unexplained()).isEmpty();
  }

  @Test
  void aRepeatWithNoBlowNearItIsNot() {
    assertThat(Repeats.in(takenTwice, List.of()).unexplained()).hasSize(1);
    assertThat(Repeats.in(takenTwice, List.of(new Window(20 * SECOND, 21 * SECOND))).unexplained())
        .containsExactly(
            "k was taken as attempt 1 and sent again as attempt 2, with no blow in between");
    assertThat(Repeats.in(takenTwice, List.of(new Window(8 * SECOND, 9 * SECOND))).unexplained())
        .hasSize(1);
  }

  @Test
  void aRetryAfterARefusalIsNoRepeat() {
    Arrivals retried =
        new Arrivals(List.of(arrival(1, 10 * SECOND, "503", 1), arrival(2, 11 * SECOND, "200", 2)));

    assertThat(Repeats.in(retried, List.of()).count()).isZero();
  }

  private static Arrival arrival(long seq, long atMicros, String result, long attempt) {
    return new Arrival(
        seq,
        atMicros * 1_000,
        atMicros,
        "/x",
        "POST",
        "k",
        null,
        attempt,
        atMicros * 1_000,
        "n",
        "",
        0,
        result,
        atMicros * 1_000);
  }
}
