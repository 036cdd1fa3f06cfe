package dev.weir.scenarios.process;

import dev.weir.receiver.Arrivals;
import dev.weir.scenarios.client.ReceiverClient;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/** A receiver as a process of its own, with its script and its arrivals log in {@code dir}. */
public final class ReceiverProcess implements AutoCloseable {

  private static final Duration READY_WITHIN = Duration.ofSeconds(30);
  private static final List<String> JVM = List.of("-Xmx256m", "-XX:+UseSerialGC");

  private final Path arrivals;
  private final int port = FreePort.next();
  private final ReceiverClient client = new ReceiverClient(url(""));
  private final JarProcess process;

  private ReceiverProcess(Path dir, String script) {
    this.arrivals = dir.resolve("arrivals.jsonl");
    Path scriptFile = dir.resolve("receiver.yaml");
    try {
      Files.writeString(scriptFile, script);
    } catch (IOException e) {
      throw new ScenarioException("can't write " + scriptFile + ": " + e.getMessage(), e);
    }
    this.process =
        JarProcess.start(
            "receiver",
            dir.resolve("receiver.log"),
            JVM,
            List.of(
                "receiver",
                "--port",
                String.valueOf(port),
                "--script",
                scriptFile.toString(),
                "--log",
                arrivals.toString()));
    process.awaitReady(READY_WITHIN, client::ready);
  }

  public static ReceiverProcess start(Path dir, String script) {
    return new ReceiverProcess(dir, script);
  }

  public ReceiverClient client() {
    return client;
  }

  /**
   * @param path begins with a slash
   */
  public String url(String path) {
    return "http://127.0.0.1:" + port + path;
  }

  public Path arrivalsFile() {
    return arrivals;
  }

  /** Ends it, so that its log is whole, and reads what arrived. */
  public Arrivals finish() {
    process.terminate(READY_WITHIN);
    return readLog();
  }

  /** What is in the log so far; at most 100 ms old. */
  public Arrivals readLog() {
    try {
      return Arrivals.read(arrivals);
    } catch (IOException e) {
      throw new ScenarioException("can't read " + arrivals + ": " + e.getMessage(), e);
    }
  }

  @Override
  public void close() {
    process.close();
  }
}
