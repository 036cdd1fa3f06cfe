package dev.weir.node;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.protocol.store.DeliveryStore.Due;
import dev.weir.protocol.store.DeliveryStore.Sweep;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;

class SweepPlanTest {

  private static final long MS = 1_000_000;

  private final SweepPlan plan = new SweepPlan(2, 250 * MS, 1_000 * MS, 0);

  @Test
  void everythingIsSweptAtTheStart() {
    assertThat(plan.isDue(0, 0)).isTrue();
    assertThat(plan.isDue(1, 0)).isTrue();
  }

  @Test
  void aQuietPartitionIsReadAgainEachSecond() {
    plan.swept(0, new Sweep(List.of(), -1), 0);
    assertThat(plan.isDue(0, 999 * MS)).isFalse();
    assertThat(plan.isDue(0, 1_000 * MS)).isTrue();
    plan.swept(0, new Sweep(List.of(), 3_600_000), 0);
    assertThat(plan.isDue(0, 1_000 * MS)).isTrue();
  }

  @Test
  void thePartitionIsSweptWhenTheTimeOfItsNextSubscriberComes() {
    plan.swept(0, new Sweep(List.of(), 100), 0);
    plan.swept(1, new Sweep(List.of(), 170), 0);
    assertThat(plan.isDue(0, 99 * MS)).isFalse();
    assertThat(plan.isDue(0, 100 * MS)).isTrue();
    assertThat(plan.nextInNanos(40 * MS)).isEqualTo(60 * MS);
  }

  @Test
  void whoWasDueHasItsGraceBeforeThePartitionIsSweptAgain() {
    plan.swept(0, new Sweep(List.of(new Due("s", 3)), 20), 0);
    assertThat(plan.isDue(0, 249 * MS)).isFalse();
    assertThat(plan.isDue(0, 250 * MS)).isTrue();
  }

  @Test
  void thePageGrowsWhileItIsFullAndShrinksAfter() {
    Sweep full = new Sweep(Collections.nCopies(SweepPlan.PAGE, new Due("s", 9)), 0);
    plan.swept(0, full, 0);
    assertThat(plan.page(0)).isEqualTo(2 * SweepPlan.PAGE);
    plan.swept(0, full, 0);
    assertThat(plan.page(0)).isEqualTo(SweepPlan.PAGE);
    assertThat(plan.page(1)).isEqualTo(SweepPlan.PAGE);
  }
}
