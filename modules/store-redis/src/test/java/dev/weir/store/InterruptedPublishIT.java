package dev.weir.store;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.protocol.store.PublishStore.OpenIntent;
import dev.weir.protocol.store.PublishStore.Publication;
import dev.weir.protocol.store.PublishStore.Published;
import dev.weir.store.connection.LaneOptions;
import dev.weir.store.connection.RedisLanes;
import dev.weir.store.connection.RedisUrl;
import dev.weir.testkit.redis.RedisProcess;
import dev.weir.testkit.redis.RespProxy;
import dev.weir.testkit.store.StoreContract.Harness;
import io.vertx.core.Vertx;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A publish to 300 subscribers that stops after any of its steps, and whoever goes on with it. */
final class InterruptedPublishIT {

  private static final RedisProcess REDIS = RedisProcess.start("appendonly no");
  private static final List<String> TARGETS =
      IntStream.range(0, 300).mapToObj(i -> "s" + i).toList();

  @AfterAll
  static void stop() {
    REDIS.close();
  }

  @Test
  void onlyTheIntentIsEnough() {
    try (Drill drill = Drill.onEmpty(REDIS)) {
      TARGETS.forEach(drill::add);
      drill.bench.leaveUnfinished(Drill.publication("m", TARGETS));
      goOn(drill);
      assertWhole(drill);
    }
  }

  /** 300 subscribers over 8 partitions: each chunk is one publish and one advance. */
  @ParameterizedTest
  @ValueSource(ints = {1, 2, 4, 7, 8})
  void stoppedAfterAnyChunkItMakesEachDeliveryOnce(int chunk) {
    try (Drill drill = Drill.onEmpty(REDIS)) {
      TARGETS.forEach(drill::add);
      publishUntilItBreaks(Drill.publication("m", TARGETS), "publish", chunk);
      // A chunk that exists may be settled before the rest is made.
      drill.settle(drill.claimOne(firstWithWork(drill)), Drill.delivered());
      goOn(drill);
      assertWhole(drill);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"intend", "advance", "commit"})
  void stoppedAfterAnyOtherStepToo(String step) {
    try (Drill drill = Drill.onEmpty(REDIS)) {
      TARGETS.forEach(drill::add);
      publishUntilItBreaks(Drill.publication("m", TARGETS), step, 1);
      goOn(drill);
      assertWhole(drill);
    }
  }

  /** Loses the reply of the n-th run of a script, and with it the publisher's life. */
  private static void publishUntilItBreaks(Publication publication, String script, int nth) {
    Vertx vertx = Vertx.vertx();
    try (RespProxy proxy = RespProxy.to(REDIS.port())) {
      RedisLanes lanes =
          new RedisLanes(vertx, RedisUrl.local(proxy.port(), null), LaneOptions.defaults());
      RedisStore store = Harness.await(RedisStore.open(vertx, lanes, RedisBench.constants(), 8));
      proxy.dropNth(RedisStore.script(script, RedisBench.constants()).sha1(), nth);
      assertThat(
              store
                  .publishes()
                  .publish(publication)
                  .map(Published::toString)
                  .otherwise("broken")
                  .toCompletionStage()
                  .toCompletableFuture()
                  .join())
          .isEqualTo("broken");
      Harness.await(store.close());
    } finally {
      Harness.await(vertx.close());
    }
  }

  private static String firstWithWork(Drill drill) {
    return TARGETS.stream().filter(id -> drill.counts(id).ready() > 0).findFirst().orElseThrow();
  }

  private static void goOn(Drill drill) {
    List<OpenIntent> open = new ArrayList<>();
    for (int p = 0; p < drill.store.deliveries().partitions(); p++) {
      int partition = p;
      open.addAll(drill.call(() -> drill.store.publishes().openIntents(partition, -1, 9)));
    }
    for (OpenIntent intent : open) {
      assertThat(drill.call(() -> drill.store.publishes().resume(intent)))
          .isInstanceOf(Published.Accepted.class);
    }
  }

  private static void assertWhole(Drill drill) {
    assertThat(TARGETS).allMatch(id -> drill.counts(id).accepted() == 1);
    assertThat(drill.publish("m", TARGETS.toArray(String[]::new)))
        .isEqualTo(
            new Published.Accepted(
                TARGETS.stream().map(id -> Drill.delivery("m", id)).toList(), List.of()));
    assertThat(TARGETS).allMatch(id -> drill.counts(id).accepted() == 1);
    drill.balances();
    assertThat(drill.call(() -> drill.store.inspection().balance()).bodies())
        .isLessThanOrEqualTo(8);
  }
}
