package dev.weir.store.connection;

import java.io.EOFException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Properties;
import java.util.Set;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A real Redis under a data directory, for a node that was given no other: loopback only, with a
 * password of its own, every write in the append-only file.
 *
 * <p>The server outlives a killed node, on purpose: what it holds needs no replay. The next node on
 * the directory adopts it, and never starts a second one beside it, since two servers on one
 * append-only file destroy it. It runs as a daemon with a session of its own, so that the Ctrl-C
 * that stops a node in a terminal doesn't take the store from under its drain. A server that dies
 * while the node runs is started again on its port.
 *
 * <p>Blocking; call it from a thread that may wait. Under the directory: {@code weir.lock}, and in
 * {@code redis/} the configuration, password, data, log, {@code redis.run} (port and pid) and
 * {@code bin/}.
 */
public final class EmbeddedRedis implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(EmbeddedRedis.class);

  private static final Duration ANSWER_LIMIT = Duration.ofSeconds(10);

  /** A fork that wrote no pid file by then failed to bind, or never got that far. */
  private static final Duration PID_LIMIT = Duration.ofSeconds(3);

  private static final Duration SHUTDOWN_LIMIT = Duration.ofSeconds(10);
  private static final Duration TERM_LIMIT = Duration.ofSeconds(5);

  /** Redis keeps its working directory in 1024 bytes, with the name of a file behind it. */
  private static final int PATH_LIMIT_BYTES = 950;

  private static final int PORT_ATTEMPTS = 5;
  private static final long WATCH_MS = 200;
  private static final long RESTART_FLOOR_MS = 100;
  private static final long RESTART_CAP_MS = 5_000;

  /** A server that ran this long before it died gets the short delay again. */
  private static final long PROVEN_NANOS = TimeUnit.SECONDS.toNanos(60);

  private static final long LOG_LIMIT_BYTES = 10L << 20;

  private final Path directory;
  private final Fsync fsync;
  private final String password;
  private final DataLock lock;
  private final ScheduledExecutorService watcher;
  private int port;
  private volatile ProcessHandle server;
  private volatile boolean stopping;
  private boolean adopted;
  private long restartDelayMs = RESTART_FLOOR_MS;
  private long startedNanos;

  private EmbeddedRedis(Path data, Fsync fsync, DataLock lock) throws IOException {
    this.fsync = fsync;
    this.lock = lock;
    this.directory =
        Files.createDirectories(data.resolve("redis"), ownerOnly("rwx------")).toRealPath();
    this.password = password();
    this.server = open();
    this.watcher = Executors.newSingleThreadScheduledExecutor(EmbeddedRedis::watcherThread);
    watcher.schedule(this::watch, WATCH_MS, TimeUnit.MILLISECONDS);
  }

  /** How often the append-only file is forced to disk. */
  public enum Fsync {
    /** Before each reply: a power cut loses nothing that was acknowledged. */
    ALWAYS,
    /** Once a second: a power cut loses up to two seconds; a crash of Redis alone loses nothing. */
    EVERYSEC
  }

  /**
   * Starts a server on {@code data}, or adopts the one that a killed node left there; returns when
   * it answers.
   *
   * @throws EmbeddedRedisException when it can't, with what to do about it
   */
  public static EmbeddedRedis start(Path data, Fsync fsync) {
    Path absolute = data.toAbsolutePath().normalize();
    int bytes = absolute.toString().getBytes(StandardCharsets.UTF_8).length;
    if (bytes > PATH_LIMIT_BYTES) {
      throw new EmbeddedRedisException(
          "the path of the data directory has "
              + bytes
              + " bytes and Redis takes at most "
              + PATH_LIMIT_BYTES
              + "; give a shorter one with --data DIR");
    }
    try {
      Files.createDirectories(absolute);
      return locked(absolute.toRealPath(), fsync);
    } catch (IOException e) {
      throw new EmbeddedRedisException(
          "the data directory " + absolute + " can't be used: " + describe(e), e);
    }
  }

  private static EmbeddedRedis locked(Path data, Fsync fsync) throws IOException {
    DataLock lock = DataLock.take(data);
    try {
      return new EmbeddedRedis(data, fsync, lock);
    } catch (IOException | RuntimeException e) {
      lock.close();
      throw e;
    }
  }

  public RedisUrl url() {
    return RedisUrl.local(port, password);
  }

  public long pid() {
    return server.pid();
  }

  /** Whether the server was found running, left by a node that was killed. */
  public boolean adopted() {
    return adopted;
  }

  /** Shuts the server down, gently if it answers, by force if it doesn't; frees the directory. */
  @Override
  public void close() {
    stop();
  }

  public synchronized void stop() {
    if (stopping) {
      return;
    }
    stopping = true;
    watcher.shutdownNow();
    try {
      watcher.awaitTermination(ANSWER_LIMIT.toSeconds(), TimeUnit.SECONDS);
      end(server);
      // A restart that was cut short may have left a server that is not yet known as ours.
      Optional<ProcessHandle> unknown = leftBehind(0);
      if (unknown.isPresent()) {
        end(unknown.get());
      }
      Files.deleteIfExists(runFile());
      lock.close();
    } catch (IOException e) {
      LOG.warn("The embedded Redis stopped, but its files remain: {}", describe(e));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  // Opening

  private ProcessHandle open() throws IOException {
    ProcessHandle running = adopt();
    adopted = running != null;
    startedNanos = System.nanoTime();
    return running != null ? running : startOnFreePort();
  }

  /** The server that a killed node left, or null where there is none. */
  private @Nullable ProcessHandle adopt() throws IOException {
    if (!Files.exists(runFile())) {
      return null;
    }
    Properties run = new Properties();
    try (var in = Files.newBufferedReader(runFile())) {
      run.load(in);
    }
    port = (int) number(run.getProperty("port"));
    long untilNanos = System.nanoTime() + ANSWER_LIMIT.toNanos();
    Optional<ProcessHandle> left = leftBehind(number(run.getProperty("pid")));
    Optional<ProcessHandle> answering = answering();
    while (answering.isEmpty()
        && left.isPresent()
        && (System.nanoTime() < untilNanos || isLoading())) {
      pause(20);
      answering = answering();
      left = leftBehind(left.get().pid());
    }
    if (answering.isPresent()) {
      LOG.info("Adopted the Redis that runs on {} (pid {})", directory, answering.get().pid());
      try (PlainRedis redis = new PlainRedis(port, password)) {
        redis.call("CONFIG", "SET", "appendfsync", fsyncValue());
      }
      writeRunFile(answering.get().pid());
      return answering.get();
    }
    if (left.isPresent()) {
      throw new EmbeddedRedisException(
          "a Redis (pid "
              + left.get().pid()
              + ") runs on the data directory "
              + directory
              + " but doesn't answer on port "
              + port
              + "; end it with 'kill "
              + left.get().pid()
              + "' (or 'kill -9' if it is stopped) and start again");
    }
    return null;
  }

  /** The process of an earlier start, by what is known of it: the run file, else the pid file. */
  private Optional<ProcessHandle> leftBehind(long pid) throws IOException {
    long known = pid > 0 ? pid : pidFromFile();
    return known <= 0
        ? Optional.empty()
        : ProcessHandle.of(known).filter(EmbeddedRedis::isRunning).filter(this::isOurServer);
  }

  /** A number that another program got since is not our server. */
  private boolean isOurServer(ProcessHandle process) {
    boolean redis =
        process.info().command().map(command -> command.contains("redis-server")).orElse(false);
    return redis && workingDirectory(process).map(directory::equals).orElse(true);
  }

  /** By the system's word where it has one: what Java reads of a path depends on the locale. */
  private boolean isAt(ProcessHandle process, String saidDirectory) {
    return workingDirectory(process)
        .map(directory::equals)
        .orElse(saidDirectory.equals(directory.toString()));
  }

  private static Optional<Path> workingDirectory(ProcessHandle process) {
    try {
      return Optional.of(Path.of("/proc", Long.toString(process.pid()), "cwd").toRealPath());
    } catch (IOException e) {
      return Optional.empty();
    }
  }

  private ProcessHandle startOnFreePort() throws IOException {
    EmbeddedRedisException last = null;
    for (int i = 0; i < PORT_ATTEMPTS; i++) {
      port = freePort();
      try {
        return launch();
      } catch (PortTaken e) {
        last = new EmbeddedRedisException(String.valueOf(e.getMessage()), e);
      }
    }
    throw last == null ? new EmbeddedRedisException("no port") : last;
  }

  private ProcessHandle launch() throws IOException {
    rollLog();
    Files.deleteIfExists(pidFile());
    writeConfig();
    // Before the server exists, so that no kill of this process leaves one that nobody knows of.
    writeRunFile(0);
    fork();
    ProcessHandle started = awaitReady();
    writeRunFile(started.pid());
    startedNanos = System.nanoTime();
    return started;
  }

  private void fork() throws IOException {
    Path said = directory.resolve("redis.out");
    String trouble = "";
    for (Path binary : RedisBinaries.candidates(directory.resolve("bin"))) {
      try {
        Process launcher =
            new ProcessBuilder(binary.toString(), "redis.conf")
                .directory(directory.toFile())
                .redirectErrorStream(true)
                .redirectOutput(said.toFile())
                .start();
        if (launcher.waitFor(ANSWER_LIMIT.toSeconds(), TimeUnit.SECONDS)
            && launcher.exitValue() == 0) {
          return;
        }
        launcher.destroyForcibly();
        trouble += "; " + binary + " said: " + Files.readString(said).strip();
      } catch (IOException e) {
        trouble += "; " + describe(e);
      } catch (InterruptedException e) {
        throw interrupted(e);
      }
    }
    throw new EmbeddedRedisException(
        "no Redis could be started here"
            + (trouble.isEmpty() ? ": none is bundled for this platform" : trouble)
            + "; install Redis 6.2 or later so that redis-server is on the PATH, or give the URL of"
            + " one with --redis redis://…");
  }

  /** Ready when it answers on our directory; a large file may load for as long as it takes. */
  private ProcessHandle awaitReady() throws IOException {
    long startNanos = System.nanoTime();
    while (true) {
      Optional<ProcessHandle> ready = answering();
      if (ready.isPresent()) {
        return ready.get();
      }
      long waitedNanos = System.nanoTime() - startNanos;
      long pid = pidFromFile();
      boolean alive = pid > 0 && ProcessHandle.of(pid).filter(EmbeddedRedis::isRunning).isPresent();
      if (!alive && waitedNanos > (pid > 0 ? 0 : PID_LIMIT.toNanos())) {
        String log = logTail();
        if (log.contains("Address already in use") || log.contains("Failed listening on port")) {
          throw new PortTaken("port " + port + " of 127.0.0.1 is taken");
        }
        throw new EmbeddedRedisException("the embedded Redis ended at its start: " + log);
      }
      if (alive && waitedNanos > ANSWER_LIMIT.toNanos() && !isLoading()) {
        throw new EmbeddedRedisException(
            "the embedded Redis (pid "
                + pid
                + ") doesn't answer on port "
                + port
                + ": "
                + logTail());
      }
      pause(5);
    }
  }

  /** The server on our port, when it takes our password and works in our directory. */
  private Optional<ProcessHandle> answering() {
    try (PlainRedis redis = new PlainRedis(port, password)) {
      redis.call("PING");
      List<String> dir = redis.call("CONFIG", "GET", "dir");
      return ProcessHandle.of(processId(redis))
          .filter(process -> isAt(process, dir.get(dir.size() - 1)));
    } catch (IOException e) {
      return Optional.empty();
    }
  }

  private boolean isLoading() {
    try (PlainRedis redis = new PlainRedis(port, password)) {
      redis.call("PING");
      return true;
    } catch (PlainRedis.ErrorReply e) {
      return e.is("LOADING");
    } catch (IOException e) {
      return false;
    }
  }

  private static long processId(PlainRedis redis) throws IOException {
    String prefix = "process_id:";
    return redis
        .call("INFO", "server")
        .get(0)
        .lines()
        .filter(line -> line.startsWith(prefix))
        .mapToLong(line -> number(line.substring(prefix.length())))
        .findFirst()
        .orElse(0);
  }

  // Watching and ending

  private void watch() {
    try {
      if (!stopping && !isRunning(server)) {
        restart();
      }
    } catch (IOException | RuntimeException e) {
      LOG.error("The embedded Redis could not be started again, trying on: {}", describe(e));
    }
    if (!stopping) {
      watcher.schedule(this::watch, WATCH_MS, TimeUnit.MILLISECONDS);
    }
  }

  private void restart() throws IOException {
    if (System.nanoTime() - startedNanos >= PROVEN_NANOS) {
      restartDelayMs = RESTART_FLOOR_MS;
    }
    LOG.error(
        "The embedded Redis (pid {}) ended; starting it again in {} ms. It said: {}",
        server.pid(),
        restartDelayMs,
        logTail());
    pause(restartDelayMs);
    restartDelayMs = Math.min(RESTART_CAP_MS, 2 * restartDelayMs);
    if (!stopping) {
      server = launch();
      LOG.info("The embedded Redis is back (pid {})", server.pid());
    }
  }

  private void end(ProcessHandle process) throws InterruptedException {
    if (shutDown() && ended(process, SHUTDOWN_LIMIT)) {
      return;
    }
    process.destroy();
    if (!ended(process, TERM_LIMIT)) {
      LOG.warn("The embedded Redis (pid {}) doesn't end, killing it", process.pid());
      process.destroyForcibly();
      ended(process, TERM_LIMIT);
    }
  }

  /** Whether the server takes it; one that is frozen or refuses is told by signals. */
  private boolean shutDown() {
    try (PlainRedis redis = new PlainRedis(port, password)) {
      redis.call("SHUTDOWN");
      return true;
    } catch (EOFException e) {
      // The end of the connection is the answer.
      return true;
    } catch (IOException e) {
      return false;
    }
  }

  private static boolean ended(ProcessHandle process, Duration within) throws InterruptedException {
    long untilNanos = System.nanoTime() + within.toNanos();
    while (isRunning(process) && System.nanoTime() < untilNanos) {
      TimeUnit.MILLISECONDS.sleep(10);
    }
    return !isRunning(process);
  }

  /**
   * Alive and no zombie: a daemon's parent is process 1, and where that is a JVM in a container,
   * nobody collects it.
   */
  private static boolean isRunning(ProcessHandle process) {
    if (!process.isAlive()) {
      return false;
    }
    try {
      String stat = Files.readString(Path.of("/proc", Long.toString(process.pid()), "stat"));
      return !stat.startsWith("Z", stat.lastIndexOf(')') + 2);
    } catch (IOException e) {
      return process.isAlive();
    }
  }

  // Files

  private void writeConfig() throws IOException {
    writePrivately(
        "redis.conf",
        String.join(
            "\n",
            "# Written by Weir at each start; changes are lost.",
            "bind 127.0.0.1",
            "port " + port,
            "requirepass " + password,
            "daemonize yes",
            "pidfile redis.pid",
            "logfile redis.log",
            // Relative to the directory it starts in: a path of any length and letters works.
            "dir ./",
            "appendonly yes",
            "appendfsync " + fsyncValue(),
            "save \"\"",
            "maxmemory-policy noeviction",
            ""));
  }

  private void writeRunFile(long pid) throws IOException {
    writePrivately("redis.run", "port=" + port + "\npid=" + pid + "\n");
  }

  private void writePrivately(String name, String text) throws IOException {
    Path part = directory.resolve(name + ".part");
    Files.deleteIfExists(part);
    Files.createFile(part, ownerOnly("rw-------"));
    Files.writeString(part, text, StandardOpenOption.WRITE);
    Files.move(
        part,
        directory.resolve(name),
        StandardCopyOption.ATOMIC_MOVE,
        StandardCopyOption.REPLACE_EXISTING);
  }

  private String password() throws IOException {
    Path file = directory.resolve("redis.password");
    // A power cut may have left it empty; no server that knows the old one survived that.
    if (!Files.exists(file) || Files.readString(file).isBlank()) {
      byte[] random = new byte[32];
      new SecureRandom().nextBytes(random);
      writePrivately("redis.password", HexFormat.of().formatHex(random));
    }
    return Files.readString(file).strip();
  }

  private void rollLog() throws IOException {
    Path log = directory.resolve("redis.log");
    if (Files.exists(log) && Files.size(log) > LOG_LIMIT_BYTES) {
      Files.move(log, directory.resolve("redis.log.1"), StandardCopyOption.REPLACE_EXISTING);
    }
  }

  private String logTail() throws IOException {
    Path log = directory.resolve("redis.log");
    if (!Files.exists(log)) {
      return "nothing";
    }
    List<String> lines = Arrays.asList(Files.readString(log).strip().split("\n", -1));
    return String.join("; ", lines.subList(Math.max(0, lines.size() - 3), lines.size()));
  }

  private long pidFromFile() throws IOException {
    return Files.exists(pidFile()) ? number(Files.readString(pidFile()).strip()) : 0;
  }

  private Path pidFile() {
    return directory.resolve("redis.pid");
  }

  private Path runFile() {
    return directory.resolve("redis.run");
  }

  private String fsyncValue() {
    return fsync.name().toLowerCase(Locale.ROOT);
  }

  private static FileAttribute<Set<PosixFilePermission>> ownerOnly(String permissions) {
    return PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString(permissions));
  }

  private static int freePort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getByName("127.0.0.1"))) {
      return socket.getLocalPort();
    }
  }

  /** A number of a file that a crash may have left empty: 0 where there is none. */
  private static long number(@Nullable String text) {
    return text != null && text.strip().matches("\\d{1,9}") ? Long.parseLong(text.strip()) : 0;
  }

  private static String describe(Exception e) {
    String message = e.getMessage();
    return e instanceof EmbeddedRedisException && message != null
        ? message
        : e.getClass().getSimpleName() + " " + message;
  }

  private static void pause(long ms) {
    try {
      TimeUnit.MILLISECONDS.sleep(ms);
    } catch (InterruptedException e) {
      throw interrupted(e);
    }
  }

  private static EmbeddedRedisException interrupted(InterruptedException e) {
    Thread.currentThread().interrupt();
    return new EmbeddedRedisException("interrupted while the embedded Redis started", e);
  }

  private static Thread watcherThread(Runnable body) {
    Thread thread = new Thread(body, "weir-embedded-redis");
    thread.setDaemon(true);
    return thread;
  }

  /** Someone took the port between our look and Redis' bind. */
  private static final class PortTaken extends IOException {
    PortTaken(String message) {
      super(message);
    }
  }
}
