package dev.weir.scenarios.process;

import dev.weir.scenarios.client.WeirClient;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** A node with its own data, on a port of its own; survives being killed and started again. */
public final class WeirProcess implements AutoCloseable {

  private static final Duration READY_WITHIN = Duration.ofSeconds(30);

  // A scenario runs two or three JVMs beside each other: small heaps, one collector thread.
  private static final List<String> JVM = List.of("-Xmx512m", "-XX:+UseSerialGC");

  private final Path dir;
  private final String name;
  private final List<String> jvmOptions;
  private final List<String> moreArguments;
  private final int port = FreePort.next();
  private final WeirClient client = new WeirClient(url());
  private JarProcess process;
  private long stopsBefore;

  private WeirProcess(Path dir, String name, List<String> jvmOptions, List<String> moreArguments) {
    this.dir = dir;
    this.name = name;
    this.jvmOptions = jvmOptions;
    this.moreArguments = moreArguments;
    this.process = launch(List.of());
  }

  /**
   * Starts one and waits until it is ready.
   *
   * @param dir holds {@code <name>.log} and, below {@code <name>-data}, its embedded Redis
   * @param moreArguments for {@code weir server}
   */
  public static WeirProcess start(Path dir, String name, String... moreArguments) {
    return new WeirProcess(dir, name, JVM, List.of(moreArguments));
  }

  /** The same under a JVM of other options: another heap, a profiler. */
  public static WeirProcess start(
      Path dir, String name, List<String> jvmOptions, List<String> moreArguments) {
    return new WeirProcess(dir, name, jvmOptions, moreArguments);
  }

  private JarProcess launch(List<String> moreJvmOptions) {
    List<String> jvm = new ArrayList<>(jvmOptions);
    jvm.addAll(moreJvmOptions);
    List<String> arguments = new ArrayList<>();
    arguments.add("server");
    arguments.add("--http");
    arguments.add("127.0.0.1:" + port);
    arguments.add("--data");
    arguments.add(data().toString());
    arguments.addAll(moreArguments);
    JarProcess started = JarProcess.start("node", log(), jvm, arguments);
    started.awaitReady(READY_WITHIN, client::ready);
    return started;
  }

  public WeirClient client() {
    return client;
  }

  public String url() {
    return "http://127.0.0.1:" + port;
  }

  public Path data() {
    return dir.resolve(name + "-data");
  }

  public Path log() {
    return dir.resolve(name + ".log");
  }

  public long pid() {
    return process.pid();
  }

  public boolean alive() {
    return process.alive();
  }

  /** SIGKILL: no goodbye, nothing flushed. Its embedded Redis lives on, as after any crash. */
  public void kill() {
    process.kill();
  }

  /** SIGTERM; returns the exit code, fails when it takes longer than {@code limit}. */
  public int terminate(Duration limit) {
    return process.terminate(limit);
  }

  public void freeze() {
    process.freeze();
  }

  public void thaw() {
    process.thaw();
  }

  /** Starts it again on the same data and port. */
  public void restart() {
    restart(List.of());
  }

  /**
   * Starts it again so that it stops by itself where it passes a named point for the {@code n}th
   * time; {@link #awaitStopAt} tells when it did.
   */
  public void restartToStopAt(String point, int n) {
    restart(List.of("-Dweir.checkpoint=" + point + ":" + n));
  }

  private void restart(List<String> moreJvmOptions) {
    if (process.alive()) {
      throw new IllegalStateException("the node still runs as process " + process.pid());
    }
    stopsBefore = stopsLogged();
    process = launch(moreJvmOptions);
  }

  /** Returns once the node has stopped at its point. */
  public void awaitStopAt(Duration limit) {
    process.awaitReady(limit, () -> stopsLogged() > stopsBefore);
  }

  private long stopsLogged() {
    return process.lines().filter(line -> line.startsWith("checkpoint ")).count();
  }

  /** Its embedded Redis, which lives on when the node is killed. */
  public RedisProcess redis() {
    return RedisProcess.below(data());
  }

  public String tail(int lines) {
    return process.tail(lines);
  }

  @Override
  public void close() {
    process.close();
  }
}
