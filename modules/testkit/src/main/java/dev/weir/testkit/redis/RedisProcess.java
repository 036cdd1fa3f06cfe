package dev.weir.testkit.redis;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A real Redis server on a free loopback port, in a directory of its own. Append-only file, no
 * snapshots, no eviction, like the server that Weir asks for; config lines of the test come last
 * and win. It can be killed, frozen and restarted on the same port and data.
 */
public final class RedisProcess implements AutoCloseable {

  private static final Duration START_LIMIT = Duration.ofSeconds(10);

  private final int port;
  private final Path directory;
  private final List<String> configLines;
  private @Nullable Process process;

  private RedisProcess(int port, Path directory, List<String> configLines) {
    this.port = port;
    this.directory = directory;
    this.configLines = configLines;
  }

  /**
   * Starts a server and returns when it answers.
   *
   * @param configLines as in {@code redis.conf}, such as {@code "maxmemory 5mb"}
   */
  public static RedisProcess start(String... configLines) {
    try {
      Path directory = Files.createTempDirectory("weir-redis");
      RedisProcess redis = new RedisProcess(freePort(), directory, List.of(configLines));
      redis.restart();
      return redis;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  public int port() {
    return port;
  }

  /** Without a password: {@code redis://127.0.0.1:<port>/0}. */
  public String url() {
    return "redis://127.0.0.1:" + port + "/0";
  }

  public long pid() {
    return running().pid();
  }

  /** Starts the server again after {@link #kill()} or {@link #stop()}; same port, same data. */
  public void restart() {
    if (process != null && process.isAlive()) {
      throw new IllegalStateException("Redis on port " + port + " still runs");
    }
    try {
      process =
          new ProcessBuilder(RedisBinary.find().toString(), configFile().toString())
              .directory(directory.toFile())
              .redirectErrorStream(true)
              .redirectOutput(ProcessBuilder.Redirect.DISCARD)
              .start();
      awaitAnswer(running());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** SIGKILL: what wasn't synced is lost, as in a crash of the process. Returns when it is gone. */
  public void kill() {
    Process victim = running();
    victim.destroyForcibly();
    awaitExit(victim);
  }

  /** SIGSTOP: connections stay open, nothing is answered. */
  public void freeze() {
    signal("STOP");
  }

  /** SIGCONT. */
  public void thaw() {
    signal("CONT");
  }

  /** SIGTERM and a clean exit; the data stays for {@link #restart()}. */
  public void stop() {
    Process leaving = running();
    leaving.destroy();
    awaitExit(leaving);
  }

  /** A fresh connection for a look behind the scenes. */
  public RedisClient client() {
    try {
      return new RedisClient(port, Duration.ofSeconds(5));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** One command over a connection of its own. */
  public @Nullable Object call(String... command) {
    try (RedisClient client = client()) {
      return client.call(command);
    }
  }

  /** Ends the server, frozen or not, and removes its directory. */
  @Override
  public void close() {
    Process last = process;
    if (last != null && last.isAlive()) {
      last.destroyForcibly();
      awaitExit(last);
    }
    try (Stream<Path> files = Files.walk(directory)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.deleteIfExists(file);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** A port of loopback that nobody listens on now. */
  public static int freePort() {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private Path configFile() throws IOException {
    List<String> lines = new ArrayList<>();
    lines.add("bind 127.0.0.1");
    lines.add("port " + port);
    lines.add("dir \"" + directory + "\"");
    lines.add("logfile \"" + directory.resolve("redis.log") + "\"");
    lines.add("appendonly yes");
    lines.add("save \"\"");
    lines.add("maxmemory-policy noeviction");
    lines.addAll(configLines);
    return Files.write(directory.resolve("redis.conf"), lines);
  }

  private void awaitAnswer(Process started) throws IOException {
    long untilNanos = System.nanoTime() + START_LIMIT.toNanos();
    while (started.isAlive() && System.nanoTime() < untilNanos) {
      if (answers()) {
        return;
      }
      try {
        started.waitFor(5, TimeUnit.MILLISECONDS);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new IllegalStateException("interrupted while Redis started", e);
      }
    }
    started.destroyForcibly();
    Path log = directory.resolve("redis.log");
    String said = Files.exists(log) ? Files.readString(log) : "nothing";
    throw new IllegalStateException("Redis on port " + port + " doesn't answer; it said: " + said);
  }

  private boolean answers() {
    try (RedisClient client = new RedisClient(port, Duration.ofSeconds(1))) {
      return "PONG".equals(client.call("PING"));
    } catch (IllegalStateException e) {
      // It wants a password: it is up. While it loads its file, it says so.
      return !String.valueOf(e.getMessage()).startsWith("LOADING");
    } catch (IOException | UncheckedIOException e) {
      return false;
    }
  }

  private void signal(String name) {
    try {
      Process kill = new ProcessBuilder("kill", "-" + name, Long.toString(pid())).start();
      if (kill.waitFor() != 0) {
        throw new IllegalStateException("kill -" + name + " " + pid() + " failed");
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted", e);
    }
  }

  private Process running() {
    Process now = process;
    if (now == null) {
      throw new IllegalStateException("Redis was never started");
    }
    return now;
  }

  private static void awaitExit(Process process) {
    try {
      if (!process.waitFor(10, TimeUnit.SECONDS)) {
        process.destroyForcibly().waitFor();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted while Redis ended", e);
    }
  }
}
