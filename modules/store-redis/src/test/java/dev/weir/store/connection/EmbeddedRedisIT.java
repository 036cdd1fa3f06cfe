package dev.weir.store.connection;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.store.connection.EmbeddedRedis.Fsync;
import java.io.BufferedReader;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(90)
class EmbeddedRedisIT {

  @TempDir Path temp = Path.of("replaced");

  @Test
  void startsFastWithTheSettingsThatTheStoreNeeds() throws IOException {
    EmbeddedRedis.start(temp, Fsync.ALWAYS).stop();
    long startNanos = System.nanoTime();
    try (EmbeddedRedis redis = EmbeddedRedis.start(temp, Fsync.ALWAYS)) {
      assertThat(Duration.ofNanos(System.nanoTime() - startNanos))
          .isLessThan(Duration.ofSeconds(1));
      assertThat(call(redis, "CONFIG", "GET", "appendonly")).contains("yes");
      assertThat(call(redis, "CONFIG", "GET", "appendfsync")).contains("always");
      assertThat(call(redis, "CONFIG", "GET", "maxmemory-policy")).contains("noeviction");
      assertThat(call(redis, "CONFIG", "GET", "save")).containsExactly("save", "");
      assertThat(call(redis, "CONFIG", "GET", "bind")).contains("127.0.0.1");
      assertThat(redis.adopted()).isFalse();
    }
  }

  @Test
  void takesOnlyItsPasswordWhichOnlyTheOwnerCanRead() throws IOException {
    try (EmbeddedRedis redis = EmbeddedRedis.start(temp, Fsync.EVERYSEC)) {
      assertThatThrownBy(() -> new PlainRedis(redis.url().port(), "guess").close())
          .hasMessageContaining("WRONGPASS");
      for (String file : List.of("redis.password", "redis.conf")) {
        assertThat(Files.getPosixFilePermissions(temp.resolve("redis").resolve(file)))
            .isEqualTo(PosixFilePermissions.fromString("rw-------"));
      }
      assertThat(redis.url().toString()).doesNotContain(String.valueOf(redis.url().password()));
      assertThat(call(redis, "CONFIG", "GET", "appendfsync")).contains("everysec");
    }
  }

  @Test
  void whatWasWrittenSurvivesStopAndStart() throws IOException {
    try (EmbeddedRedis redis = EmbeddedRedis.start(temp, Fsync.ALWAYS)) {
      call(redis, "SET", "kept", "yes");
    }
    try (EmbeddedRedis redis = EmbeddedRedis.start(temp, Fsync.ALWAYS)) {
      assertThat(redis.adopted()).isFalse();
      assertThat(call(redis, "GET", "kept")).containsExactly("yes");
    }
  }

  @Test
  void stopEndsTheServerAndFreesTheDirectory() {
    EmbeddedRedis redis = EmbeddedRedis.start(temp, Fsync.ALWAYS);
    long pid = redis.pid();
    redis.stop();
    redis.stop();
    assertThat(runs(pid)).isFalse();
    assertThat(temp.resolve("redis/redis.run")).doesNotExist();
  }

  @Test
  void pathsMayBeLongAndHoldSpacesQuotesAndOtherLetters() throws IOException {
    Path odd = temp.resolve("a b'c\"d #e").resolve("ü".repeat(40)).resolve("x".repeat(200));
    try (EmbeddedRedis redis = EmbeddedRedis.start(odd, Fsync.ALWAYS)) {
      call(redis, "SET", "kept", "yes");
    }
    assertThat(odd.resolve("redis/appendonlydir")).isDirectory();
  }

  @Test
  void pathsBeyondWhatRedisTakesAreRefusedWithTheLimit() {
    Path deep = temp;
    for (int i = 0; i < 6; i++) {
      deep = deep.resolve("d".repeat(200));
    }
    Path tooDeep = deep;
    assertThatThrownBy(() -> EmbeddedRedis.start(tooDeep, Fsync.ALWAYS))
        .isInstanceOf(EmbeddedRedisException.class)
        .hasMessageContaining("Redis takes at most 950");
    assertThat(tooDeep).doesNotExist();
  }

  @Test
  void secondNodeOnTheDirectoryIsRefusedWithASentence() {
    EmbeddedRedis first = EmbeddedRedis.start(temp, Fsync.ALWAYS);
    try {
      assertThatThrownBy(() -> EmbeddedRedis.start(temp, Fsync.ALWAYS))
          .isInstanceOf(EmbeddedRedisException.class)
          .hasMessageContaining("another Weir node runs on the data directory " + temp)
          .hasMessageContaining("--data DIR");
    } finally {
      first.stop();
    }
  }

  @Test
  void serverOfAKilledNodeIsAdoptedAndOneOfALiveNodeIsNot() throws Exception {
    Process node = node();
    long pid = Long.parseLong(said(node).substring("started ".length()));
    assertThat(said(node())).startsWith("refused another Weir node runs on the data directory");
    kill(node);
    assertThat(runs(pid)).isTrue();
    try (EmbeddedRedis redis = EmbeddedRedis.start(temp, Fsync.EVERYSEC)) {
      assertThat(redis.adopted()).isTrue();
      assertThat(redis.pid()).isEqualTo(pid);
      assertThat(call(redis, "CONFIG", "GET", "appendfsync")).contains("everysec");
    }
    assertThat(runs(pid)).isFalse();
  }

  @Test
  void serverIsAdoptedThoughItsNodeDiedBeforeItKnewThePid() throws Exception {
    Process node = node();
    long pid = Long.parseLong(said(node).substring("started ".length()));
    kill(node);
    Path run = temp.resolve("redis/redis.run");
    Files.writeString(run, Files.readString(run).replaceAll("pid=\\d+", "pid=0"));
    try (EmbeddedRedis redis = EmbeddedRedis.start(temp, Fsync.ALWAYS)) {
      assertThat(redis.pid()).isEqualTo(pid);
    }
  }

  @Test
  void runFileOfADeadServerIsNoObstacleEvenWhenAnotherListensOnItsPort() throws Exception {
    Process node = node();
    long pid = Long.parseLong(said(node).substring("started ".length()));
    kill(node);
    kill(pid);
    int port =
        Integer.parseInt(
            Files.readString(temp.resolve("redis/redis.run"))
                .replaceAll("(?s)port=(\\d+).*", "$1"));
    try (ServerSocket squatter = new ServerSocket(port, 1, loopback());
        EmbeddedRedis redis = EmbeddedRedis.start(temp, Fsync.ALWAYS)) {
      assertThat(squatter.isBound()).isTrue();
      assertThat(redis.adopted()).isFalse();
      assertThat(redis.url().port()).isNotEqualTo(port);
    }
  }

  @Test
  void copyOfADirectoryGetsAServerOfItsOwn() throws IOException {
    Path original = temp.resolve("original");
    Path copy = temp.resolve("copy");
    try (EmbeddedRedis first = EmbeddedRedis.start(original, Fsync.ALWAYS)) {
      call(first, "SET", "who", "first");
      Files.createDirectories(copy.resolve("redis"));
      for (String file : List.of("redis.run", "redis.password", "redis.pid")) {
        Files.copy(original.resolve("redis").resolve(file), copy.resolve("redis").resolve(file));
      }
      try (EmbeddedRedis second = EmbeddedRedis.start(copy, Fsync.ALWAYS)) {
        assertThat(second.adopted()).isFalse();
        assertThat(second.pid()).isNotEqualTo(first.pid());
        assertThat(call(second, "GET", "who")).containsExactly("");
      }
      assertThat(call(first, "GET", "who")).containsExactly("first");
    }
  }

  @Test
  void frozenServerOfAKilledNodeIsNotJoinedByASecond() throws Exception {
    Process node = node();
    long pid = Long.parseLong(said(node).substring("started ".length()));
    kill(node);
    signal("STOP", pid);
    assertThatThrownBy(() -> EmbeddedRedis.start(temp, Fsync.ALWAYS))
        .isInstanceOf(EmbeddedRedisException.class)
        .hasMessageContaining("a Redis (pid " + pid + ") runs on the data directory")
        .hasMessageContaining("kill " + pid);
    signal("CONT", pid);
    EmbeddedRedis redis = EmbeddedRedis.start(temp, Fsync.ALWAYS);
    assertThat(redis.pid()).isEqualTo(pid);
    signal("STOP", pid);
    redis.stop();
    assertThat(runs(pid)).isFalse();
  }

  @Test
  void serverThatDiesIsStartedAgainOnItsPortWithItsData() throws Exception {
    try (EmbeddedRedis redis = EmbeddedRedis.start(temp, Fsync.ALWAYS)) {
      RedisUrl url = redis.url();
      for (int round = 0; round < 2; round++) {
        call(redis, "INCR", "rounds");
        long pid = redis.pid();
        kill(pid);
        Awaitility.await().atMost(Duration.ofSeconds(5)).until(() -> redis.pid() != pid);
        assertThat(redis.url()).isEqualTo(url);
      }
      assertThat(call(redis, "GET", "rounds")).containsExactly("2");
    }
  }

  @Test
  void unusableDirectoryIsNamed() throws IOException {
    Path file = Files.createFile(temp.resolve("file"));
    assertThatThrownBy(() -> EmbeddedRedis.start(file, Fsync.ALWAYS))
        .isInstanceOf(EmbeddedRedisException.class)
        .hasMessageContaining("the data directory " + file + " can't be used");
  }

  @Test
  void whatEndsRedisAtItsStartIsTold() throws IOException {
    EmbeddedRedis.start(temp, Fsync.ALWAYS).stop();
    Files.writeString(
        temp.resolve("redis/appendonlydir/appendonly.aof.manifest"), "this is no manifest\n");
    assertThatThrownBy(() -> EmbeddedRedis.start(temp, Fsync.ALWAYS))
        .isInstanceOf(EmbeddedRedisException.class)
        .hasMessageContaining("ended at its start")
        .hasMessageContaining("manifest");
  }

  private static List<String> call(EmbeddedRedis redis, String... command) throws IOException {
    try (PlainRedis client =
        new PlainRedis(redis.url().port(), String.valueOf(redis.url().password()))) {
      return client.call(command);
    }
  }

  private Process node() throws IOException {
    return new ProcessBuilder(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-cp",
            System.getProperty("java.class.path"),
            EmbeddedRedisStarter.class.getName(),
            temp.toString())
        .redirectError(ProcessBuilder.Redirect.DISCARD)
        .start();
  }

  private static String said(Process node) throws IOException {
    BufferedReader out = node.inputReader(StandardCharsets.UTF_8);
    @Nullable String line = out.readLine();
    while (line != null && !line.startsWith("started ") && !line.startsWith("refused ")) {
      line = out.readLine();
    }
    return String.valueOf(line);
  }

  private static void kill(Process node) throws InterruptedException {
    node.destroyForcibly();
    assertThat(node.waitFor(10, TimeUnit.SECONDS)).isTrue();
  }

  private static void kill(long pid) throws IOException, InterruptedException {
    signal("KILL", pid);
    Awaitility.await().atMost(Duration.ofSeconds(5)).until(() -> !runs(pid));
  }

  private static void signal(String name, long pid) throws IOException, InterruptedException {
    assertThat(new ProcessBuilder("kill", "-" + name, Long.toString(pid)).start().waitFor())
        .isZero();
  }

  private static boolean runs(long pid) {
    try {
      String stat = Files.readString(Path.of("/proc", Long.toString(pid), "stat"));
      return !stat.contains(") Z ");
    } catch (IOException e) {
      return ProcessHandle.of(pid).map(ProcessHandle::isAlive).orElse(false);
    }
  }

  private static InetAddress loopback() throws IOException {
    return InetAddress.getByName("127.0.0.1");
  }
}
