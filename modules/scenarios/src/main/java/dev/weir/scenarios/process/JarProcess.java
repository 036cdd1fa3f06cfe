package dev.weir.scenarios.process;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;

/** One run of the jar as a process of its own; output is appended to a file. */
final class JarProcess implements AutoCloseable {

  private static final Duration GRACE = Duration.ofSeconds(30);
  private static final Duration POLL = Duration.ofMillis(20);
  private static final Set<Process> RUNNING = ConcurrentHashMap.newKeySet();

  static {
    Runtime.getRuntime().addShutdownHook(new Thread(JarProcess::endAll, "scenario-processes"));
  }

  private final String name;
  private final Path log;
  private final Process process;

  private JarProcess(String name, Path log, Process process) {
    this.name = name;
    this.log = log;
    this.process = process;
  }

  /**
   * @param log grows by what the process prints
   */
  static JarProcess start(String name, Path log, List<String> jvmOptions, List<String> arguments) {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(jvmOptions);
    command.add("-jar");
    command.add(WeirJar.locate().toString());
    command.addAll(arguments);
    try {
      Process process =
          new ProcessBuilder(command)
              .redirectInput(ProcessBuilder.Redirect.from(new File("/dev/null")))
              .redirectErrorStream(true)
              .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()))
              .start();
      RUNNING.add(process);
      process.onExit().thenAccept(RUNNING::remove);
      return new JarProcess(name, log, process);
    } catch (IOException e) {
      throw new ScenarioException("can't start the " + name + ": " + e.getMessage(), e);
    }
  }

  long pid() {
    return process.pid();
  }

  boolean alive() {
    return process.isAlive();
  }

  Path log() {
    return log;
  }

  /** Waits until {@code ready} holds; fails with the end of its log when it exits or is late. */
  void awaitReady(Duration limit, BooleanSupplier ready) {
    long deadlineNs = System.nanoTime() + limit.toNanos();
    while (!ready.getAsBoolean()) {
      if (!process.isAlive()) {
        throw new ScenarioException(
            "the " + name + " ended with code " + process.exitValue() + ":\n" + tail(20));
      }
      if (System.nanoTime() > deadlineNs) {
        throw new ScenarioException(
            "the " + name + " was not ready within " + limit.toSeconds() + " s:\n" + tail(20));
      }
      pause();
    }
  }

  private static void pause() {
    try {
      Thread.sleep(POLL.toMillis());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new ScenarioException("interrupted", e);
    }
  }

  /** SIGKILL; returns when it is gone. */
  void kill() {
    process.destroyForcibly();
    awaitExit(GRACE);
  }

  /**
   * SIGTERM.
   *
   * @return the exit code
   */
  int terminate(Duration limit) {
    process.destroy();
    if (!awaitExit(limit)) {
      throw new ScenarioException(
          "the " + name + " was still there " + limit.toSeconds() + " s after SIGTERM");
    }
    return process.exitValue();
  }

  void freeze() {
    Signals.send(pid(), "STOP");
  }

  void thaw() {
    Signals.send(pid(), "CONT");
  }

  private boolean awaitExit(Duration limit) {
    try {
      return process.waitFor(limit.toMillis(), TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  /** What it and its predecessors printed so far. */
  Stream<String> lines() {
    try {
      // Not readAllLines: a log may end in the middle of a character.
      return new String(Files.readAllBytes(log), StandardCharsets.UTF_8).lines();
    } catch (IOException e) {
      return Stream.of("(no log: " + e.getMessage() + ")");
    }
  }

  String tail(int lines) {
    List<String> all = lines().toList();
    return String.join("\n", all.subList(Math.max(0, all.size() - lines), all.size()));
  }

  /** SIGTERM, and SIGKILL when that does not help in time. */
  @Override
  public void close() {
    process.destroy();
    if (!awaitExit(GRACE)) {
      kill();
    }
  }

  private static void endAll() {
    RUNNING.forEach(Process::destroy);
    for (Process process : RUNNING) {
      try {
        if (!process.waitFor(GRACE.toMillis(), TimeUnit.MILLISECONDS)) {
          process.destroyForcibly();
        }
      } catch (InterruptedException e) {
        process.destroyForcibly();
      }
    }
  }
}
