package dev.weir.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.weir.domain.message.MessageId;
import dev.weir.domain.outcome.Outcome;
import dev.weir.protocol.store.DeliveryStore.Claimed;
import dev.weir.protocol.store.DeliveryStore.Settled;
import dev.weir.protocol.store.PublishStore.OpenIntent;
import dev.weir.protocol.store.StoreException;
import dev.weir.testkit.redis.RedisProcess;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;

/**
 * At maxmemory Redis refuses a script whose first write could grow memory. What drains the store
 * must go on there, and what fills it must be refused with the right kind.
 */
final class FullStoreIT {

  private static final RedisProcess REDIS = RedisProcess.start("appendonly no");

  @AfterAll
  static void stop() {
    REDIS.close();
  }

  @Test
  void everythingThatDrainsRunsAtMaxmemory() {
    try (Drill drill = Drill.onEmpty(REDIS)) {
      drill.add("a");
      drill.add("gone");
      drill.addSharing("account", "1/s", 9, "b");
      drill.publishMany("m", 12, "a");
      drill.publishMany("g", 3, "gone");
      drill.publish("shared", "b");
      OpenIntent open = openIntent(drill);
      drill.call(() -> drill.store.publishes().bind("key", "request", MessageId.of("bound")));
      full(drill);
      try {
        drains(drill);
        drill.call(() -> drill.store.publishes().answered("key", "request"));
        // Nothing is left to make, so going on with it only moves the cursor and commits.
        drill.call(() -> drill.store.publishes().resume(open));
        refusesWhatIsNew(drill);
      } finally {
        drill.redis("CONFIG", "SET", "maxmemory", "0");
      }
      drill.balances();
    }
  }

  private static OpenIntent openIntent(Drill drill) {
    drill.publish("open", "a", "gone");
    drill.bench.leaveUnfinished(Drill.publication("open", List.of("a", "gone", "b")));
    List<OpenIntent> all = new ArrayList<>();
    for (int p = 0; p < drill.store.deliveries().partitions(); p++) {
      int partition = p;
      all.addAll(drill.call(() -> drill.store.publishes().openIntents(partition, -1, 9)));
    }
    drill.publish("open", "b");
    return all.get(0);
  }

  /** One byte of limit; any command that could grow memory is refused now. */
  private static void full(Drill drill) {
    drill.redis("CONFIG", "SET", "maxmemory", "1");
    assertThatExceptionOfType(IllegalStateException.class)
        .isThrownBy(() -> drill.redis("SET", "x", "y"))
        .withMessageContaining("OOM");
  }

  private static void drains(Drill drill) {
    int partition = drill.partition("a");
    for (Outcome outcome :
        List.of(
            Drill.delivered(),
            Drill.failure(),
            Drill.dead(),
            new Outcome.Dead("410", false),
            new Outcome.Reconcile(
                "beyond seven days", 1, Outcome.Health.UNTOLD, Outcome.Retry.NO_GATE, false))) {
      assertThat(drill.settle(drill.claimOne("a"), outcome).settled()).isEqualTo(Settled.APPLIED);
    }
    drill.release("a", List.of(drill.claimOne("a")));
    Claimed left = drill.claimOne("a");
    long next = drill.call(() -> drill.store.deliveries().beginEpoch());
    assertThat(next).isGreaterThan(drill.epoch());
    assertThat(drill.call(() -> drill.store.deliveries().recover(partition, next, 9))).isEqualTo(1);
    assertThat(drill.settle(left, Drill.delivered()).settled()).isEqualTo(Settled.APPLIED);
    drill.call(() -> drill.store.deliveries().sweep(partition, 100));
    drill.call(() -> drill.store.config().pause("a", "by hand"));
    drill.call(() -> drill.store.config().resume("a"));
    drill.call(() -> drill.store.config().openGate("a"));
    drill.call(
        () ->
            drill
                .store
                .inspection()
                .redrive(
                    drill
                        .call(() -> drill.store.inspection().deadLetters("a", null, 1))
                        .items()
                        .get(0)
                        .id()));
    drill.call(
        () ->
            drill
                .store
                .inspection()
                .reschedule(
                    drill
                        .call(() -> drill.store.inspection().reconciliation("a", null, 1))
                        .items()
                        .get(0)
                        .id(),
                    drill.bench.nowMs() + 1_000));
    drill.call(() -> drill.store.inspection().cancel(Drill.delivery("m11", "a")));
    assertThat(drill.call(() -> drill.store.deliveries().purgeDeadLetters(partition, -1, 9)))
        .isEqualTo(1);
    assertThat(drill.call(() -> drill.store.config().deleteSubscriber("gone"))).isTrue();
    drill.call(() -> drill.store.config().deleteSubscriber("b"));
    drill.call(() -> drill.store.config().deleteQuota("account"));
    drill.call(() -> drill.store.inspection().balance());
    drill.call(() -> drill.store.inspection().totals());
    RedisBench.onKept(REDIS).close();
  }

  private static void refusesWhatIsNew(Drill drill) {
    assertThatExceptionOfType(StoreException.class)
        .isThrownBy(() -> drill.publish("new", "a"))
        .satisfies(e -> assertThat(e.kind()).isEqualTo(StoreException.Kind.FULL));
  }
}
