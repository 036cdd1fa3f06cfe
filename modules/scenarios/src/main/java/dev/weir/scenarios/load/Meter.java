package dev.weir.scenarios.load;

import dev.weir.scenarios.process.RedisProcess;
import dev.weir.scenarios.process.ScenarioException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * What the processes of a node have used so far, read from outside. Redis' commands are counted as
 * Redis counts them: those that its scripts call are commands too.
 *
 * @param atNanos monotonic
 * @param commands that Redis has run
 * @param evals of them: scripts, each one round trip
 * @param evalMicros that those took, without reading requests, writing replies and the log
 */
record Meter(
    long atNanos, double nodeCpuMs, double redisCpuMs, long commands, long evals, long evalMicros) {

  private static final double MS_PER_TICK = 10;

  // Fields of /proc/<pid>/stat, counted from the one behind the name, which may hold spaces.
  private static final int USER_TICKS = 11;
  private static final int SYSTEM_TICKS = 12;

  static Meter read(long nodePid, RedisProcess redis) {
    long commands = 0;
    long evals = 0;
    long evalMicros = 0;
    for (String line : redis.info("commandstats")) {
      if (line.startsWith("cmdstat_")) {
        long calls = field(line, "calls=");
        commands += calls;
        if (line.startsWith("cmdstat_eval")) {
          evals += calls;
          evalMicros += field(line, "usec=");
        }
      }
    }
    return new Meter(
        System.nanoTime(), cpuMs(nodePid), cpuMs(redis.pid()), commands, evals, evalMicros);
  }

  private static long field(String line, String name) {
    return Long.parseLong(line.split(name, 2)[1].split(",", 2)[0]);
  }

  private static double cpuMs(long pid) {
    String stat = proc(pid, "stat");
    String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ", -1);
    return (Long.parseLong(fields[USER_TICKS]) + Long.parseLong(fields[SYSTEM_TICKS]))
        * MS_PER_TICK;
  }

  /** Resident memory of a process, MB. */
  static long residentMb(long pid) {
    return proc(pid, "status")
            .lines()
            .filter(line -> line.startsWith("VmRSS:"))
            .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")))
            .findFirst()
            .orElse(0)
        / 1_024;
  }

  private static String proc(long pid, String file) {
    try {
      return Files.readString(Path.of("/proc/" + pid + "/" + file));
    } catch (IOException e) {
      throw new ScenarioException("load runs need /proc: " + e.getMessage(), e);
    }
  }

  /** What was used since an earlier reading, over so many deliveries. */
  void tell(Figures figures, Meter since, long deliveries) {
    double seconds = (atNanos - since.atNanos) / 1e9;
    double node = nodeCpuMs - since.nodeCpuMs;
    double redis = redisCpuMs - since.redisCpuMs;
    figures
        .put("seconds", seconds)
        .put("deliveries", deliveries)
        .put("deliveriesPerSecond", deliveries / seconds)
        .put("nodeCpuPercent", node / seconds / 10)
        .put("redisCpuPercent", redis / seconds / 10)
        .put("nodeCpuMicrosPerDelivery", 1_000 * node / Math.max(1, deliveries))
        .put("redisCpuMicrosPerDelivery", 1_000 * redis / Math.max(1, deliveries))
        .put("commandsPerDelivery", (double) (commands - since.commands) / Math.max(1, deliveries))
        .put("commandsPerSecond", (commands - since.commands) / seconds)
        .put("scriptsPerDelivery", (double) (evals - since.evals) / Math.max(1, deliveries))
        .put("scriptsPerSecond", (evals - since.evals) / seconds)
        .put(
            "scriptMicrosPerDelivery",
            (double) (evalMicros - since.evalMicros) / Math.max(1, deliveries));
  }
}
