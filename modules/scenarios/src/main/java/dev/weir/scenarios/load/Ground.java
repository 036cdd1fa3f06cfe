package dev.weir.scenarios.load;

import dev.weir.scenarios.client.WeirClient;
import dev.weir.scenarios.process.ScenarioException;
import dev.weir.scenarios.process.ScratchDirectory;
import dev.weir.scenarios.process.WeirProcess;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** What a run stands on: a node with its Redis and an endpoint, in a directory that goes. */
final class Ground implements AutoCloseable {

  private static final long POLL_MS = 100;

  private final ScratchDirectory scratch = ScratchDirectory.create("weir-load-");
  private final Sink sink;
  private final WeirProcess node;
  private final Feeder feeder;

  /**
   * @param config more of the node's configuration, YAML
   */
  private Ground(LoadOptions options, boolean logs, String config) {
    Path dir = scratch.path();
    sink = Sink.start(dir, logs);
    Path file = dir.resolve("weir.yaml");
    try {
      Files.writeString(file, "data:\n  fsync: " + options.text("fsync", "always") + "\n" + config);
    } catch (IOException e) {
      throw new ScenarioException("can't write " + file, e);
    }
    useRedis(options.text("redis-server", ""));
    List<String> jvm = new ArrayList<>(List.of("-Xmx" + options.text("heap", "1g")));
    jvm.addAll(List.of(options.text("jvm", "-XX:+UseSerialGC").split(" ", -1)));
    node = WeirProcess.start(dir, "node", jvm, List.of("--config", file.toString()));
    feeder = new Feeder(node.url());
  }

  /** Another program in the place where the node lays out the bundled one. */
  private void useRedis(String program) {
    if (program.isEmpty()) {
      return;
    }
    try {
      Path bin = scratch.path().resolve("node-data/redis/bin");
      Files.createDirectories(bin);
      Files.createSymbolicLink(bin.resolve("redis-server-7.0.15"), Path.of(program));
    } catch (IOException e) {
      throw new ScenarioException("can't put " + program + " in place: " + e.getMessage(), e);
    }
  }

  static Ground prepare(LoadOptions options, boolean logs) {
    return new Ground(options, logs, "");
  }

  static Ground prepare(LoadOptions options, boolean logs, String config) {
    return new Ground(options, logs, config);
  }

  Path dir() {
    return scratch.path();
  }

  Sink sink() {
    return sink;
  }

  WeirProcess node() {
    return node;
  }

  WeirClient client() {
    return node.client();
  }

  Feeder feeder() {
    return feeder;
  }

  Meter meter() {
    return Meter.read(node.pid(), node.redis());
  }

  /** The counts of one subscriber. */
  JsonObject counts(String subscriber) {
    return client().get("/v1/subscribers/" + subscriber).getJsonObject("counts");
  }

  /** What all subscribers together have had delivered. */
  long delivered() {
    try {
      return client()
          .send("GET", "/metrics", null, java.util.Map.of())
          .body()
          .lines()
          .filter(line -> line.startsWith("weir_delivered_total"))
          .mapToLong(line -> (long) Double.parseDouble(line.substring(line.lastIndexOf(' ') + 1)))
          .sum();
    } catch (IOException e) {
      throw new ScenarioException("the node gives no metrics: " + e, e);
    }
  }

  /** Waits until a subscriber has had so many delivered. */
  void awaitDelivered(String subscriber, long wanted, Duration limit) {
    long until = System.nanoTime() + limit.toNanos();
    while (counts(subscriber).getLong("delivered") < wanted) {
      if (System.nanoTime() > until) {
        throw new ScenarioException(
            "after "
                + limit.toSeconds()
                + " s "
                + subscriber
                + " had "
                + counts(subscriber)
                + "; the node says:\n"
                + node.tail(10));
      }
      LoadRuns.pause(POLL_MS);
    }
  }

  /** Rewriting the log that a great backlog has left is no part of what is measured. */
  void awaitLogRewritten() {
    while (node.redis().info("persistence").stream()
        .anyMatch(line -> line.matches("aof_rewrite_(in_progress|scheduled):1"))) {
      LoadRuns.pause(POLL_MS);
    }
  }

  /** What went wrong in the node meanwhile explains figures that nothing else does. */
  private void sayWarnings() {
    node.tail(10_000)
        .lines()
        .filter(line -> line.contains(" WARN ") || line.contains(" ERROR "))
        .limit(20)
        .forEach(LoadRuns::say);
  }

  @Override
  public void close() {
    sayWarnings();
    node.close();
    sink.close();
    scratch.close();
  }
}
