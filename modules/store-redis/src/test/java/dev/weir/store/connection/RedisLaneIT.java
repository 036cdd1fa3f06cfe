package dev.weir.store.connection;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.weir.protocol.store.StoreException;
import dev.weir.protocol.store.StoreException.Kind;
import dev.weir.testkit.redis.RedisProcess;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.VerticleBase;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.redis.client.Command;
import io.vertx.redis.client.Request;
import io.vertx.redis.client.Response;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class RedisLaneIT {

  private static final Script ECHO = Script.of("echo", "return ARGV[1]");
  private static final Script FILL =
      Script.of("fill", "redis.call('APPEND', KEYS[1], string.rep('x', 100000)) return 1");
  private static final Script FENCED =
      Script.of("claim", "return redis.error_reply('FENCED epoch 9 is newer than 8')");

  private final Vertx vertx = Vertx.vertx();
  private final RedisProcess redis = RedisProcess.start();
  private RedisLanes lanes = new RedisLanes(vertx, url(), LaneOptions.defaults());

  @BeforeEach
  void connect() throws Exception {
    await(lanes.lane().whenConnected(Duration.ofSeconds(5)));
  }

  @AfterEach
  void close() throws Exception {
    await(lanes.close());
    await(vertx.close());
    redis.close();
  }

  @Test
  void firstCommandOfALaneWaitsForItsFirstConnection() throws Exception {
    RedisLanes fresh = new RedisLanes(vertx, url(), LaneOptions.defaults());
    assertThat(await(fresh.lane().send(Request.cmd(Command.PING)))).hasToString("PONG");
    await(fresh.close());
  }

  @Test
  void firstCommandFailsWithTheReasonWhereNobodyListens() {
    RedisUrl nowhere = RedisUrl.local(RedisProcess.freePort(), null);
    RedisLanes fresh = new RedisLanes(vertx, nowhere, LaneOptions.defaults());
    assertUnavailable(fresh.lane().send(Request.cmd(Command.PING)), "Connection refused");
    assertThat(fresh.health().ready()).isFalse();
    assertThat(fresh.health().reason()).contains(nowhere.address(), "Connection refused");
    assertUnavailable(fresh.lane().whenConnected(Duration.ofMillis(50)), "Connection refused");
  }

  @Test
  void fiveThousandCommandsOfOneTurnAllComplete() throws Exception {
    List<Future<Response>> replies = new ArrayList<>();
    onLoop(
        () -> {
          for (int i = 0; i < 5_000; i++) {
            replies.add(lanes.lane().eval(ECHO, List.of("k"), List.of(i)));
          }
        });
    await(Future.join(List.copyOf(replies)));
    for (int i = 0; i < 5_000; i++) {
      assertThat(replies.get(i).result().toInteger()).isEqualTo(i);
    }
  }

  @Test
  void moreThanFitsInFlightIsRefusedAtOnce() throws Exception {
    LaneOptions narrow =
        new LaneOptions(
            Duration.ofSeconds(2),
            Duration.ofSeconds(2),
            100,
            Duration.ofMillis(10),
            Duration.ofSeconds(1));
    RedisLanes few = new RedisLanes(vertx, url(), narrow);
    await(few.lane().whenConnected(Duration.ofSeconds(5)));
    List<Future<Response>> replies = new ArrayList<>();
    RedisLane lane = few.lane();
    onLoop(
        () -> {
          for (int i = 0; i < 150; i++) {
            replies.add(lane.send(Request.cmd(Command.PING)));
          }
        });
    assertThat(kindOf(Future.join(List.copyOf(replies)))).isEqualTo(Kind.UNAVAILABLE);
    assertThat(replies).allMatch(Future::isComplete);
    assertThat(replies).filteredOn(Future::succeeded).hasSize(100);
    assertUnavailable(replies.get(120), "100 commands await a reply");
    await(few.close());
  }

  @Test
  void eachEventLoopHasOneLaneAndFuturesCompleteOnTheCallersContext() throws Exception {
    CountDownLatch done = new CountDownLatch(8);
    AtomicInteger astray = new AtomicInteger();
    for (int i = 0; i < 8; i++) {
      Context context = vertx.getOrCreateContext();
      vertx
          .deployVerticle(
              new VerticleBase() {
                @Override
                public Future<?> start() {
                  Context mine = Vertx.currentContext();
                  return lanes
                      .lane()
                      .send(Request.cmd(Command.PING))
                      .onComplete(
                          reply -> {
                            astray.addAndGet(Vertx.currentContext() == mine ? 0 : 1);
                            done.countDown();
                          });
                }
              })
          .onFailure(failure -> astray.addAndGet(100));
      assertThat(context).isNotNull();
    }
    assertThat(done.await(10, TimeUnit.SECONDS)).isTrue();
    assertThat(astray).hasValue(0);
    assertThat(connections()).isLessThanOrEqualTo(1 + eventLoops());
  }

  @Test
  void undeployedFirstCallerTakesNoConnectionWithIt() throws Exception {
    RedisLane[] lane = new RedisLane[1];
    String id =
        await(
            vertx.deployVerticle(
                new VerticleBase() {
                  @Override
                  public Future<?> start() {
                    lane[0] = lanes.lane();
                    return lane[0].send(Request.cmd(Command.PING));
                  }
                }));
    await(vertx.undeploy(id));
    assertThat(await(lane[0].send(Request.cmd(Command.PING)))).hasToString("PONG");
  }

  @Test
  void killedRedisFailsWhatIsInFlightAndTheLaneIsBackSoonAfterIt() throws Exception {
    AtomicInteger reconnects = new AtomicInteger();
    lanes.lane().onReconnect(reconnects::incrementAndGet);
    try (Load load = new Load(lanes.lane())) {
      load.awaitReplies(1_000);
      for (int round = 1; round <= 3; round++) {
        redis.kill();
        load.awaitFailures(1);
        assertThat(lanes.health().ready()).isFalse();
        assertUnavailable(lanes.lane().send(Request.cmd(Command.PING)), "");
        redis.restart();
        long backNanos = System.nanoTime();
        await(lanes.lane().whenConnected(Duration.ofSeconds(5)));
        assertThat(Duration.ofNanos(System.nanoTime() - backNanos))
            .isLessThan(Duration.ofSeconds(2));
        assertThat(reconnects).hasValue(round);
        load.awaitReplies(1_000);
      }
    }
    assertThat(lanes.health().ready()).isTrue();
  }

  @Test
  void frozenRedisTimesOutAndHeals() throws Exception {
    redis.freeze();
    long startNanos = System.nanoTime();
    List<Future<Response>> replies = new ArrayList<>();
    for (int i = 0; i < 50; i++) {
      replies.add(lanes.lane().eval(ECHO, List.of(), List.of(i)));
    }
    replies.forEach(reply -> assertUnavailable(reply, "no reply to 'echo' within 2000 ms"));
    Duration waited = Duration.ofNanos(System.nanoTime() - startNanos);
    assertThat(waited).isBetween(Duration.ofMillis(1_900), Duration.ofMillis(4_000));
    assertThat(lanes.health().ready()).isFalse();
    // Long enough that a connect, too, has met its deadline on the frozen server.
    assertUnavailable(lanes.lane().whenConnected(Duration.ofMillis(2_500)), "");
    redis.thaw();
    await(lanes.lane().whenConnected(Duration.ofSeconds(4)));
    assertThat(await(lanes.lane().eval(ECHO, List.of(), List.of("x")))).hasToString("x");
    assertSettlesAt(1);
  }

  @Test
  void frozenRedisIsNoticedThoughNobodyAsks() throws Exception {
    RedisLane lane = lanes.lane();
    redis.freeze();
    awaitTrue(() -> !lane.connected(), Duration.ofSeconds(6));
    redis.thaw();
    await(lane.whenConnected(Duration.ofSeconds(4)));
  }

  @Test
  void clientKillIsOneLostConnectionAndNoMore() throws Exception {
    AtomicInteger reconnects = new AtomicInteger();
    CountDownLatch back = new CountDownLatch(5);
    lanes.onReconnect(
        () -> {
          reconnects.incrementAndGet();
          back.countDown();
        });
    RedisLane lane = lanes.lane();
    for (int i = 0; i < 5; i++) {
      redis.call("CLIENT", "KILL", "TYPE", "normal");
      int expected = i + 1;
      awaitTrue(() -> reconnects.get() == expected, Duration.ofSeconds(4));
      assertThat(await(lane.send(Request.cmd(Command.PING)))).hasToString("PONG");
    }
    assertThat(back.await(1, TimeUnit.SECONDS)).isTrue();
    assertSettlesAt(1);
  }

  @Test
  void flushedScriptsAreLoadedAgainUnderLoad() throws Exception {
    try (Load load = new Load(lanes.lane())) {
      for (int i = 0; i < 20; i++) {
        redis.call("SCRIPT", "FLUSH", "SYNC");
        load.awaitReplies(500);
      }
      assertThat(load.failures()).isZero();
    }
  }

  @Test
  void replicaRefusesWritesAndTheLaneHealsWhenItIsPromoted() throws Exception {
    RedisLane lane = lanes.lane();
    try (RedisProcess master = RedisProcess.start()) {
      redis.call("REPLICAOF", "127.0.0.1", Integer.toString(master.port()));
      assertUnavailable(lane.eval(FILL, List.of("k"), List.of()), "READONLY");
      redis.call("REPLICAOF", "NO", "ONE");
      await(lane.whenConnected(Duration.ofSeconds(4)));
      assertThat(await(lane.eval(FILL, List.of("k"), List.of())).toInteger()).isEqualTo(1);
    }
  }

  @Test
  void fullRedisSaysSoAndKeepsTheConnection() throws Exception {
    RedisLane lane = lanes.lane();
    redis.call("CONFIG", "SET", "maxmemory", "4mb");
    Kind last = null;
    for (int i = 0; i < 100 && last == null; i++) {
      last = kindOf(lane.eval(FILL, List.of("k" + i), List.of()));
    }
    assertThat(last).isEqualTo(Kind.FULL);
    assertThat(kindOf(lane.send(Request.cmd(Command.SET).arg("a").arg("b")))).isEqualTo(Kind.FULL);
    assertThat(lane.connected()).isTrue();
  }

  @Test
  void fencedReplyIsFencedAndOtherErrorsAreBroken() {
    RedisLane lane = lanes.lane();
    assertThatThrownBy(() -> await(lane.eval(FENCED, List.of(), List.of())))
        .isInstanceOfSatisfying(
            StoreException.class, e -> assertThat(e.kind()).isEqualTo(Kind.FENCED))
        .hasMessageContaining("claim: FENCED epoch 9 is newer than 8");
    Script wrong = Script.of("wrong", "return redis.call('NOSUCH')");
    assertThat(kindOf(lane.eval(wrong, List.of(), List.of()))).isEqualTo(Kind.BROKEN);
    assertThat(kindOf(lane.send(Request.cmd(Command.HGET).arg("x")))).isEqualTo(Kind.BROKEN);
    assertThat(lane.connected()).isTrue();
  }

  @Test
  void argumentOfAnUnknownTypeIsRefusedByName() {
    assertThatThrownBy(() -> lanes.lane().eval(ECHO, List.of(), List.of(1.5)))
        .hasMessageContaining("not java.lang.Double");
  }

  @Test
  void bytesPassUnchanged() throws Exception {
    byte[] bytes = new byte[256];
    for (int i = 0; i < 256; i++) {
      bytes[i] = (byte) i;
    }
    assertThat(await(lanes.lane().eval(ECHO, List.of(), List.of(bytes))).toBytes())
        .isEqualTo(bytes);
    assertThat(await(lanes.lane().eval(ECHO, List.of(), List.of(Buffer.buffer(bytes)))).toBytes())
        .isEqualTo(bytes);
    assertThat(
            await(lanes.lane().eval(ECHO, List.of(), List.of("schöne Grüße")))
                .toString(StandardCharsets.UTF_8))
        .isEqualTo("schöne Grüße");
  }

  @Test
  void passwordUserAndDbAreUsed() throws Exception {
    String secret = "p@ss:w/ö rd+%";
    try (RedisProcess guarded = RedisProcess.start("requirepass \"" + secret + "\"")) {
      RedisUrl in = new RedisUrl(false, "127.0.0.1", guarded.port(), null, secret, 5);
      RedisLanes own = new RedisLanes(vertx, in, LaneOptions.defaults());
      assertThat(await(own.lane().send(Request.cmd(Command.CLIENT).arg("INFO"))).toString())
          .contains(" db=5 ", " user=default ", " resp=2");
      await(own.close());
    }
  }

  @Test
  void wrongPasswordIsTheReasonAndIsNotShown() throws Exception {
    try (RedisProcess guarded = RedisProcess.start("requirepass right")) {
      RedisLanes own =
          new RedisLanes(vertx, RedisUrl.local(guarded.port(), "s3cret"), LaneOptions.defaults());
      assertThatThrownBy(() -> await(own.lane().send(Request.cmd(Command.PING))))
          .hasMessageContaining("WRONGPASS")
          .hasMessageNotContaining("s3cret");
      await(own.close());
    }
  }

  @Test
  void closedLanesRefuseAndLeaveNoConnection() throws Exception {
    RedisLane lane = lanes.lane();
    Future<Response> inFlight = lane.send(Request.cmd(Command.PING));
    await(lanes.close());
    awaitTrue(inFlight::isComplete, Duration.ofSeconds(1));
    assertUnavailable(lane.send(Request.cmd(Command.PING)), "the lane was closed");
    assertUnavailable(lanes.lane().send(Request.cmd(Command.PING)), "closed");
    assertThat(lanes.health().ready()).isFalse();
    assertSettlesAt(0);
  }

  @Test
  void callAfterTheEndOfVertxFailsToo() throws Exception {
    Vertx other = Vertx.vertx();
    RedisLanes own = new RedisLanes(other, url(), LaneOptions.defaults());
    RedisLane lane = own.lane();
    await(lane.whenConnected(Duration.ofSeconds(5)));
    await(other.close());
    assertThat(kindOf(lane.send(Request.cmd(Command.PING)))).isEqualTo(Kind.UNAVAILABLE);
  }

  private RedisUrl url() {
    return RedisUrl.local(redis.port(), null);
  }

  private int eventLoops() {
    return 2 * Runtime.getRuntime().availableProcessors();
  }

  /** Normal connections besides the one that asks. */
  private int connections() {
    String list = String.valueOf(redis.call("CLIENT", "LIST", "TYPE", "normal"));
    return (int) list.lines().count() - 1;
  }

  private void assertSettlesAt(int expected) {
    awaitTrue(() -> connections() == expected, Duration.ofSeconds(3));
  }

  private void onLoop(Runnable action) throws Exception {
    Promise<Void> ran = Promise.promise();
    vertx
        .getOrCreateContext()
        .runOnContext(
            now -> {
              action.run();
              ran.complete();
            });
    await(ran.future());
  }

  private static void assertUnavailable(Future<?> future, String reason) {
    assertThatThrownBy(() -> await(future))
        .isInstanceOfSatisfying(
            StoreException.class, e -> assertThat(e.kind()).isEqualTo(Kind.UNAVAILABLE))
        .hasMessageContaining(reason);
  }

  private static @Nullable Kind kindOf(Future<?> future) {
    Throwable failure = catchThrowable(() -> await(future));
    return failure instanceof StoreException store ? store.kind() : null;
  }

  private static <T> T await(Future<T> future) throws TimeoutException {
    return future.await(10, TimeUnit.SECONDS);
  }

  private static void awaitTrue(BooleanSupplier condition, Duration within) {
    Awaitility.await()
        .pollInterval(Duration.ofMillis(5))
        .atMost(within)
        .until(condition::getAsBoolean);
  }

  /** Keeps 64 script calls in flight, each followed by the next, until closed; all must end. */
  private final class Load implements AutoCloseable {
    private final RedisLane lane;
    private final AtomicBoolean ended = new AtomicBoolean();
    private final AtomicInteger replies = new AtomicInteger();
    private final AtomicInteger failures = new AtomicInteger();
    private final AtomicInteger running = new AtomicInteger(64);

    Load(RedisLane lane) {
      this.lane = lane;
      for (int i = 0; i < 64; i++) {
        next(i);
      }
    }

    private void next(int n) {
      if (ended.get()) {
        running.decrementAndGet();
        return;
      }
      lane.eval(ECHO, List.of(), List.of(n))
          .onComplete(
              reply -> {
                if (reply.succeeded()) {
                  replies.incrementAndGet();
                  next(n);
                } else {
                  failures.incrementAndGet();
                  vertx.setTimer(5, due -> next(n));
                }
              });
    }

    int failures() {
      return failures.get();
    }

    void awaitReplies(int more) {
      int goal = replies.get() + more;
      awaitTrue(() -> replies.get() >= goal, Duration.ofSeconds(10));
    }

    void awaitFailures(int more) {
      int goal = failures.get() + more;
      awaitTrue(() -> failures.get() >= goal, Duration.ofSeconds(10));
    }

    @Override
    public void close() {
      ended.set(true);
      awaitTrue(() -> running.get() == 0, Duration.ofSeconds(5));
    }
  }
}
