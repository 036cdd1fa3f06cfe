package dev.weir.store.connection;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.weir.store.connection.StartupChecks.Refused;
import dev.weir.testkit.redis.RedisProcess;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
class StartupChecksIT {

  private final Vertx vertx = Vertx.vertx();
  private final RedisProcess redis = RedisProcess.start("enable-debug-command local");
  private final RedisLanes lanes =
      new RedisLanes(vertx, RedisUrl.local(redis.port(), null), LaneOptions.defaults());

  @AfterEach
  void close() throws TimeoutException {
    await(lanes.close());
    await(vertx.close());
    redis.close();
  }

  @Test
  void emptyStoreGetsItsMetaOnce() throws TimeoutException {
    await(StartupChecks.run(lanes.lane(), 64));
    await(StartupChecks.run(lanes.lane(), 64));
    assertThat(String.valueOf(redis.call("HGETALL", "weir:meta")))
        .isEqualTo("[partitions, 64, format, 1]");
  }

  @Test
  void nodesThatStartTogetherAgree() throws TimeoutException {
    List<Future<Void>> starts =
        List.of(
            StartupChecks.run(lanes.lane(), 64),
            StartupChecks.run(lanes.lane(), 64),
            StartupChecks.run(lanes.lane(), 64));
    await(Future.all(starts));
  }

  @Test
  void killBetweenTheTwoFieldsIsMended() throws TimeoutException {
    redis.call("HSET", "weir:meta", "partitions", "64");
    await(StartupChecks.run(lanes.lane(), 64));
    assertThat(redis.call("HGET", "weir:meta", "format")).isEqualTo("1");
  }

  @Test
  void partitionsOfTheFirstStarterAreKeptAndTheOtherIsRefused() {
    redis.call("HSET", "weir:meta", "partitions", "16");
    assertThat(refusal(64))
        .contains("laid out with 16 partitions", "configured for 64", "'partitions: 16'");
    assertThat(redis.call("HGET", "weir:meta", "partitions")).isEqualTo("16");
  }

  @Test
  void missingAppendOnlyFileIsRefused() {
    redis.call("CONFIG", "SET", "appendonly", "no");
    assertThat(refusal(64))
        .contains("the append-only file is off", "needed: appendonly yes")
        .contains("'CONFIG SET appendonly yes'", "redis.conf");
    assertThat(redis.call("EXISTS", "weir:meta")).isEqualTo(0L);
  }

  @Test
  void evictionIsRefused() {
    redis.call("CONFIG", "SET", "maxmemory-policy", "allkeys-lru");
    assertThat(refusal(64))
        .contains("maxmemory-policy is allkeys-lru", "needed: noeviction")
        .contains("'CONFIG SET maxmemory-policy noeviction'");
  }

  @Test
  void storeOfANewerWeirIsRefused() {
    redis.call("HSET", "weir:meta", "format", "2", "partitions", "64");
    assertThat(refusal(64))
        .contains("written by a newer Weir: its format is 2", "needed: 1 or lower")
        .contains("Start the newer version");
  }

  @Test
  void nonsenseInTheMetaIsRefused() {
    redis.call("HSET", "weir:meta", "format", "x", "partitions", "64");
    assertThat(refusal(64)).contains("weir:meta holds format x and partitions 64");
  }

  @Test
  void replicaIsRefused() {
    redis.call("REPLICAOF", "127.0.0.1", "1");
    assertThat(refusal(64)).contains("a replica of 127.0.0.1:1", "Give its URL with --redis");
  }

  @Test
  void everythingThatIsWrongIsToldAtOnce() {
    redis.call("CONFIG", "SET", "appendonly", "no");
    redis.call("CONFIG", "SET", "maxmemory-policy", "volatile-ttl");
    redis.call("HSET", "weir:meta", "format", "9", "partitions", "8");
    Throwable failure = catchThrowable(() -> await(StartupChecks.run(lanes.lane(), 64)));
    assertThat(failure)
        .isInstanceOfSatisfying(Refused.class, e -> assertThat(e.problems()).hasSize(3))
        .hasMessageStartingWith("this Redis can't be used for 3 reasons:\n- ");
  }

  @Test
  void deniedConfigCommandIsNoObstacle() throws TimeoutException {
    redis.call("ACL", "SETUSER", "default", "-config");
    await(StartupChecks.run(lanes.lane(), 64));
  }

  @Test
  void fullnessIsSeenWithinTheSecond() {
    StoreMemory memory = new StoreMemory(vertx, lanes);
    memory.start();
    Awaitility.await().atMost(Duration.ofSeconds(3)).until(() -> memory.maxBytes() > 1L << 30);
    assertThat(memory.aboveHighWater()).isFalse();
    redis.call("CONFIG", "SET", "maxmemory", "8mb");
    redis.call("DEBUG", "POPULATE", "60000", "k", "100");
    Awaitility.await().atMost(Duration.ofSeconds(3)).until(memory::aboveHighWater);
    assertThat(memory.maxBytes()).isEqualTo(8L << 20);
    redis.call("FLUSHALL");
    Awaitility.await().atMost(Duration.ofSeconds(3)).until(() -> !memory.aboveHighWater());
    memory.close();
  }

  private String refusal(int partitions) {
    Throwable failure = catchThrowable(() -> await(StartupChecks.run(lanes.lane(), partitions)));
    assertThat(failure).isInstanceOf(Refused.class);
    return String.valueOf(failure.getMessage());
  }

  private static <T> T await(Future<T> future) throws TimeoutException {
    return future.await(10, TimeUnit.SECONDS);
  }
}
