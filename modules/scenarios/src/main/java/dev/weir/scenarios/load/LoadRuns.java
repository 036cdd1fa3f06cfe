package dev.weir.scenarios.load;

import dev.weir.scenarios.process.ScenarioException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Function;

/**
 * Runs one of the load runs:
 *
 * <pre>
 * java -cp weir.jar dev.weir.scenarios.load.LoadRuns NAME [--option value]…
 *
 * speed    one unlimited subscriber drains a backlog          --messages 100000 --body 250 --inflight 256
 * waiting  many subscribers at 1/h, a restart, all due        --subscribers 100000 --spread 120 --lead 60
 * idle     subscribers at 1/min with a backlog each           --subscribers 1000 --messages 1000 --seconds 60
 * isolate  one at 50/s beside a hanging one and 1,000 slow    --subscribers 1000 --messages 1000 --hanging 50000
 * outage   an endpoint that is down for a while               --down 60 --messages 3000
 *
 * all: --redis-server PATH (instead of the bundled one)
 *      --fsync always|everysec   --heap 1g   --jvm "-XX:+UseSerialGC …"
 * </pre>
 */
public final class LoadRuns {

  private static final Map<String, Function<LoadOptions, Figures>> RUNS = new LinkedHashMap<>();

  static {
    RUNS.put("speed", SpeedRun::run);
    RUNS.put("waiting", WaitingRun::run);
    RUNS.put("idle", IdleRun::run);
    RUNS.put("isolate", IsolateRun::run);
    RUNS.put("outage", OutageRun::run);
  }

  private LoadRuns() {}

  public static void main(String[] arguments) {
    Function<LoadOptions, Figures> run = arguments.length == 0 ? null : RUNS.get(arguments[0]);
    if (run == null) {
      System.err.println("weir load: name one of " + String.join(", ", RUNS.keySet()));
      System.exit(2);
      return;
    }
    try {
      Figures figures = run.apply(LoadOptions.parse(arguments, 1));
      System.out.println(figures.table());
      System.out.println(figures.json());
    } catch (ScenarioException | IllegalArgumentException e) {
      System.err.println("weir load: " + e.getMessage());
      System.exit(1);
    }
    // The client's threads would keep the process for a minute.
    System.exit(0);
  }

  static void say(String text) {
    System.err.println("  " + text);
  }

  static void pause(long ms) {
    try {
      Thread.sleep(ms);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new ScenarioException("interrupted", e);
    }
  }
}
