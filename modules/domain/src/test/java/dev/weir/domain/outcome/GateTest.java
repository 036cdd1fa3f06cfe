package dev.weir.domain.outcome;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.domain.outcome.Gate.Passage.Kind;
import dev.weir.domain.outcome.Outcome.Budget;
import dev.weir.domain.outcome.Outcome.Health;
import java.util.List;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class GateTest {

  private static final Gate.Policy POLICY = Gate.Policy.DEFAULT;
  private static final Outcome DELIVERED = new Outcome.Delivered();
  private static final Outcome FAILURE = retry(Budget.FAILURE, Outcome.NO_GATE);

  @Test
  void a429ClosesItForTheAskedTimeThenOneProbePasses() {
    Gate gate = Gate.OPEN.settled(retry(Budget.RATE_LIMIT, 17_000), "a", POLICY, 1_000);

    assertThat(gate.passage(POLICY, 17_999).kind()).isEqualTo(Kind.CLOSED);
    assertThat(gate.passage(POLICY, 17_999).nextInMs()).isEqualTo(1);
    assertThat(gate.passage(POLICY, 18_000).kind()).isEqualTo(Kind.PROBE);
    assertThat(gate.passage(POLICY, 18_000).cap(32)).isEqualTo(1);
    Gate probing = gate.probeStarted("p", 48_000);
    assertThat(probing.passage(POLICY, 18_001).kind()).isEqualTo(Kind.PROBE_OUT);
    assertThat(probing.passage(POLICY, 48_000).kind()).isEqualTo(Kind.PROBE);
  }

  @Test
  void aSmallerWaitNeverShortensIt() {
    Gate gate = Gate.OPEN.closedFor(30_000, 0).closedFor(1_000, 100);
    assertThat(gate.closedUntilMs()).isEqualTo(30_000);
  }

  @Test
  void aProbesSuccessOpensItAndRampsUp() {
    Gate gate =
        Gate.OPEN
            .closedFor(1_000, 0)
            .probeStarted("p", 20_000)
            .settled(DELIVERED, "p", POLICY, 2_000);

    assertThat(gate.passage(POLICY, 2_000).kind()).isEqualTo(Kind.RAMP);
    assertThat(gate.passage(POLICY, 2_000).cap(32)).isEqualTo(3);
    assertThat(gate.passage(POLICY, 2_000).cap(1)).isEqualTo(1);
    assertThat(gate.passage(POLICY, 7_000).fraction()).isEqualTo(0.55);
    assertThat(gate.passage(POLICY, 12_000)).isEqualTo(new Gate.Passage(Kind.FREE, 1, 0));
  }

  @Test
  void aRefusalForGoodIsASignOfLifeButExhaustionIsNot() {
    Gate half = Gate.OPEN.closedFor(0, 0).probeStarted("p", 20_000);

    assertThat(half.settled(new Outcome.Dead("status 404", false), "p", POLICY, 1).halfOpen())
        .isFalse();
    Outcome exhausted =
        new Outcome.Dead("gave up: after 16", false, Health.FAILING, Outcome.NO_GATE);
    Gate closed = half.settled(exhausted, "p", POLICY, 1);
    assertThat(closed.passage(POLICY, 2).kind()).isEqualTo(Kind.CLOSED);
  }

  @ParameterizedTest
  @CsvSource({"9, 20000, FREE", "10, 9999, FREE", "10, 10000, CLOSED", "11, 30000, CLOSED"})
  void theBreakerNeedsTenInARowOverTenSeconds(int failures, long spanMs, Kind expected) {
    Gate gate = Gate.OPEN;
    long start = 100_000;
    for (int i = 0; i < failures; i++) {
      gate = gate.settled(FAILURE, "a" + i, POLICY, start + spanMs * i / (failures - 1));
    }
    assertThat(gate.passage(POLICY, start + spanMs).kind()).isEqualTo(expected);
  }

  @Test
  void aSuccessBetweenRestartsTheCount() {
    Gate gate = Gate.OPEN;
    for (int i = 0; i < 50; i++) {
      gate = gate.settled(i % 9 == 8 ? DELIVERED : FAILURE, "a" + i, POLICY, i * 5_000L);
    }
    assertThat(gate.halfOpen()).isFalse();
  }

  @Test
  void theClosingTimeDoublesWithEachFailedProbeToFiveMinutes() {
    Gate gate = tripped();
    long now = gate.closedUntilMs();
    assertThat(now - 10_000).isEqualTo(5_000);
    for (long expected : new long[] {10_000, 20_000, 40_000, 80_000, 160_000, 300_000, 300_000}) {
      gate = gate.probeStarted("p", now + 30_000).settled(FAILURE, "p", POLICY, now);
      assertThat(gate.closedUntilMs() - now).isEqualTo(expected);
      now = gate.closedUntilMs();
    }
    gate = gate.probeStarted("p", now + 30_000).settled(DELIVERED, "p", POLICY, now);
    assertThat(gate.openings()).isZero();
  }

  @Test
  void stragglersOfTheOutageDoNotCloseItLonger() {
    Gate gate = tripped();
    Gate after = gate;
    for (int i = 0; i < 32; i++) {
      after = after.settled(FAILURE, "straggler" + i, POLICY, 10_001 + i);
    }
    assertThat(after).isEqualTo(gate);
    assertThat(after.settled(DELIVERED, "straggler", POLICY, 10_500).closedUntilMs())
        .isEqualTo(gate.closedUntilMs());
  }

  @Test
  void aProbeWithoutAVerdictLeavesItHalfOpenForTheNext() {
    Gate half = Gate.OPEN.closedFor(0, 0).probeStarted("p", 20_000);

    assertThat(half.probeEnded("other")).isEqualTo(half);
    assertThat(half.probeEnded("p").passage(POLICY, 1).kind()).isEqualTo(Kind.PROBE);
    Gate limited = half.settled(retry(Budget.RATE_LIMIT, 3_000), "p", POLICY, 1_000);
    assertThat(limited.passage(POLICY, 3_999).kind()).isEqualTo(Kind.CLOSED);
    assertThat(limited.passage(POLICY, 4_000).kind()).isEqualTo(Kind.PROBE);
  }

  @Test
  void anOperatorOpensItThroughAProbe() {
    Gate gate = Gate.OPEN.closedFor(604_800_000, 0).opened();
    assertThat(gate.passage(POLICY, 1).kind()).isEqualTo(Kind.PROBE);
    assertThat(Gate.OPEN.opened().passage(POLICY, 1).kind()).isEqualTo(Kind.FREE);
  }

  @Property
  void atMostOneProbeIsOutAndAClosedGateLetsNothingPass(
      @ForAll @Size(max = 60) List<@IntRange(min = 0, max = 5) Integer> events) {
    Gate gate = Gate.OPEN;
    long now = 1;
    int attempt = 0;
    for (int event : events) {
      now += 1_500;
      Gate.Passage passage = gate.passage(POLICY, now);
      String name = gate.probe() != null && event % 2 == 0 ? gate.probe() : "a" + attempt++;
      if (passage.kind() == Kind.PROBE) {
        gate = gate.probeStarted("probe" + attempt, now + 4_000);
        assertThat(gate.passage(POLICY, now).cap(32)).isZero();
      }
      long before = gate.closedUntilMs();
      gate =
          switch (event) {
            case 0, 1 -> gate.settled(FAILURE, name, POLICY, now);
            case 2, 3 -> gate.settled(DELIVERED, name, POLICY, now);
            case 4 -> gate.settled(retry(Budget.RATE_LIMIT, 2_000), name, POLICY, now);
            default -> gate.settled(retry(Budget.NONE, Outcome.NO_GATE), name, POLICY, now);
          };
      assertThat(gate.closedUntilMs() - now).isLessThanOrEqualTo(POLICY.maxMs());
      if (gate.halfOpen()) {
        assertThat(gate.closedUntilMs()).isGreaterThanOrEqualTo(before);
      }
      if (now < gate.closedUntilMs()) {
        assertThat(gate.passage(POLICY, now).cap(1_000)).isZero();
      }
    }
  }

  private static Gate tripped() {
    Gate gate = Gate.OPEN;
    for (int i = 0; i <= 10; i++) {
      gate = gate.settled(FAILURE, "a" + i, POLICY, i * 1_000L);
    }
    assertThat(gate.openings()).isEqualTo(1);
    return gate;
  }

  private static Outcome retry(Budget spends, long gateMs) {
    return new Outcome.Retry(1_000, "x", spends, gateMs, false, false);
  }
}
