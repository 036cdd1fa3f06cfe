package dev.weir.store.connection;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.testkit.redis.RedisProcess;
import dev.weir.testkit.redis.RespProxy;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.redis.client.Response;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The lane and the proxy together: what is lost on the wire is what the caller is told. */
@Timeout(60)
class LostRepliesIT {

  private static final Script COUNT = Script.of("count", "return redis.call('INCR', KEYS[1])");

  private final Vertx vertx = Vertx.vertx();
  private final RedisProcess redis = RedisProcess.start();
  private final RespProxy proxy = RespProxy.to(redis.port());
  private final RedisLanes lanes =
      new RedisLanes(vertx, RedisUrl.local(proxy.port(), null), LaneOptions.defaults());

  @AfterEach
  void close() throws TimeoutException {
    lanes.close().await(10, TimeUnit.SECONDS);
    vertx.close().await(10, TimeUnit.SECONDS);
    proxy.close();
    redis.close();
  }

  @Test
  void eachLostReplyIsOneFailedFutureAndTheRunHappened() throws TimeoutException {
    RedisLane lane = lanes.lane();
    proxy.dropEach(COUNT.sha1(), 0.3, 7);
    int failed = 0;
    for (int i = 0; i < 100; i++) {
      lane.whenConnected(Duration.ofSeconds(5)).await(10, TimeUnit.SECONDS);
      failed += ended(lane.eval(COUNT, List.of("k"), List.of())) ? 0 : 1;
    }
    assertThat(failed).isBetween(10, 60);
    assertThat(proxy.dropped(COUNT.sha1())).isEqualTo(failed);
    assertThat(redis.call("GET", "k")).isEqualTo("100");
  }

  @Test
  void repliesBeforeTheLostOneArriveAndThoseBehindItFail() throws TimeoutException {
    RedisLane lane = lanes.lane();
    lane.eval(COUNT, List.of("k"), List.of()).await(10, TimeUnit.SECONDS);
    proxy.dropNth(COUNT.sha1(), 41);
    List<Future<Response>> replies = new ArrayList<>();
    for (int i = 0; i < 100; i++) {
      replies.add(lane.eval(COUNT, List.of("k"), List.of()));
    }
    List<Boolean> arrived = new ArrayList<>();
    for (Future<Response> reply : replies) {
      arrived.add(ended(reply));
    }
    assertThat(arrived.subList(0, 40)).containsOnly(true);
    assertThat(arrived.get(40)).isFalse();
    assertThat(proxy.dropped()).isEqualTo(1);
  }

  @Test
  void refusedLaneHealsWhenItIsTakenAgain() throws TimeoutException {
    RedisLane lane = lanes.lane();
    lane.whenConnected(Duration.ofSeconds(5)).await(10, TimeUnit.SECONDS);
    proxy.refuse(true);
    proxy.cutAll();
    assertThat(ended(lane.eval(COUNT, List.of("k"), List.of()))).isFalse();
    proxy.refuse(false);
    lane.whenConnected(Duration.ofSeconds(5)).await(10, TimeUnit.SECONDS);
    assertThat(ended(lane.eval(COUNT, List.of("k"), List.of()))).isTrue();
  }

  private static boolean ended(Future<Response> reply) throws TimeoutException {
    return reply.map(true).otherwise(false).await(10, TimeUnit.SECONDS);
  }
}
