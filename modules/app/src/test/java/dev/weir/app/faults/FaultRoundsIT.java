package dev.weir.app.faults;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.scenarios.Progress;
import dev.weir.scenarios.faults.FaultPlan;
import dev.weir.scenarios.faults.FaultPlan.Blow;
import dev.weir.scenarios.faults.FaultReport;
import dev.weir.scenarios.faults.Faults;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FaultRoundsIT {

  @TempDir private Path dir;

  @Test
  void nothingIsLostOrDoubledSilentlyWhenTheNodeIsKilledTwentyTimes() {
    hold(Blow.KILL_NODE_AT_POINT, 20);
  }

  @Test
  void norWhenItIsKilledAtRandomInstants() {
    hold(Blow.KILL_NODE, 6);
  }

  @Test
  void anEndInGoodOrderCountsNoAttemptForWhatItGaveBack() {
    hold(Blow.TERMINATE_NODE, 3);
  }

  @Test
  void aRedisThatIsKilledCostsOnlyTime() {
    hold(Blow.KILL_REDIS, 5);
  }

  private void hold(Blow blow, int rounds) {
    FaultPlan plan =
        new FaultPlan(blow, rounds, Duration.ofMillis(300), Duration.ofMillis(1_000), 1);
    FaultReport report = Faults.run(plan, dir, Progress.SILENT);
    System.out.println(report.toJson().encode());
    assertThat(report.problems()).isEmpty();
    assertThat(report.accepted()).isEqualTo(report.delivered() + report.dead()).isPositive();
  }
}
