package dev.weir.app;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The runnable jar as a process of its own, with what it says. */
final class JarProcess implements AutoCloseable {

  private static final Path JAR = Path.of("target/weir.jar").toAbsolutePath();
  private static final Pattern READY = Pattern.compile(" ready at (http://\\S+) ");

  private final Process process;
  private final List<String> lines = Collections.synchronizedList(new ArrayList<>());
  private final CompletableFuture<String> url = new CompletableFuture<>();
  private final Thread reader;

  private JarProcess(List<String> arguments) throws IOException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-Xmx256m", "-XX:+UseSerialGC", "-jar", JAR.toString()));
    command.addAll(arguments);
    process = new ProcessBuilder(command).redirectErrorStream(true).start();
    reader = new Thread(this::read, "output of " + process.pid());
    reader.setDaemon(true);
    reader.start();
  }

  static JarProcess start(String... arguments) throws IOException {
    return new JarProcess(List.of(arguments));
  }

  /** Starts a node on a free port and waits until it says that it is ready. */
  static JarProcess server(Path data, String... more) throws Exception {
    List<String> arguments = new ArrayList<>(List.of("server", "--http", "127.0.0.1:0"));
    arguments.addAll(List.of("--data", data.toString()));
    arguments.addAll(List.of(more));
    JarProcess server = new JarProcess(arguments);
    try {
      server.url.get(30, TimeUnit.SECONDS);
      return server;
    } catch (Exception e) {
      server.close();
      throw new AssertionError("no ready line: " + server.said(), e);
    }
  }

  String url() {
    return url.join();
  }

  String said() {
    return String.join("\n", List.copyOf(lines));
  }

  /** SIGTERM; the exit code. By the handle: {@code Process.destroy()} would close its output. */
  int terminate(Duration limit) throws InterruptedException {
    process.toHandle().destroy();
    return exit(limit);
  }

  /** SIGTERM, without waiting. */
  void tellToStop() {
    process.toHandle().destroy();
  }

  /** Waits until a line with {@code text} was said. */
  void awaitSaid(String text, Duration limit) throws InterruptedException {
    long untilNanos = System.nanoTime() + limit.toNanos();
    synchronized (lines) {
      while (lines.stream().noneMatch(line -> line.contains(text))) {
        long leftMs = TimeUnit.NANOSECONDS.toMillis(untilNanos - System.nanoTime());
        assertThat(leftMs).as("'%s' was said, but only: %s", text, lines).isPositive();
        lines.wait(leftMs);
      }
    }
  }

  int exit(Duration limit) throws InterruptedException {
    assertThat(process.waitFor(limit.toMillis(), TimeUnit.MILLISECONDS))
        .as("ended within %s, having said: %s", limit, said())
        .isTrue();
    reader.join(TimeUnit.SECONDS.toMillis(5));
    return process.exitValue();
  }

  /** In good order, so that its Redis ends as well. */
  @Override
  public void close() {
    process.toHandle().destroy();
    try {
      if (!process.waitFor(30, TimeUnit.SECONDS)) {
        process.destroyForcibly();
      }
    } catch (InterruptedException e) {
      process.destroyForcibly();
      Thread.currentThread().interrupt();
    }
  }

  private void read() {
    try (BufferedReader output = process.inputReader(StandardCharsets.UTF_8)) {
      for (String line = output.readLine(); line != null; line = output.readLine()) {
        synchronized (lines) {
          lines.add(line);
          lines.notifyAll();
        }
        Matcher ready = READY.matcher(line);
        if (ready.find()) {
          url.complete(ready.group(1));
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } finally {
      url.completeExceptionally(new IllegalStateException("the process ended"));
    }
  }
}
