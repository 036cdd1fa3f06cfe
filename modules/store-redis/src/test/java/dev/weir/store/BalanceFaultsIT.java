package dev.weir.store;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.testkit.redis.RedisProcess;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The recount is only worth believing when it goes red for what it is there to find. */
final class BalanceFaultsIT {

  private static final RedisProcess REDIS = RedisProcess.start("appendonly no");

  private Drill drill = Drill.onEmpty(REDIS);

  @BeforeEach
  void publishTwo() {
    drill.close();
    drill = Drill.onEmpty(REDIS);
    drill.add("a");
    drill.publishMany("m", 2, "a");
    drill.balances();
  }

  @AfterEach
  void close() {
    drill.close();
  }

  @AfterAll
  static void stop() {
    REDIS.close();
  }

  private String sequence(String message) {
    String head = String.valueOf(drill.redis("HGET", drill.key("a", "m:" + message), ""));
    return head.substring(0, head.indexOf(' '));
  }

  @Test
  void anOrphanBodyIsNamed() {
    drill.redis("SET", drill.key("a", "b:99"), "1 -1 5 -1 ghost 0\nx");
    assertThat(drill.problems()).singleElement().asString().contains("#99", "orphan", "ghost");
  }

  @Test
  void aLostBodyIsNamedWithItsPair() {
    drill.redis("DEL", drill.key("a", "b:" + sequence("m0")));
    assertThat(drill.problems())
        .anySatisfy(problem -> assertThat(problem).contains("message m0", "lost", "for a"));
  }

  @Test
  void aWrongOpenCountIsNamed() {
    String head = String.valueOf(drill.redis("HGET", drill.key("a", "m:m0"), ""));
    drill.redis("HSET", drill.key("a", "m:m0"), "", head.replaceFirst("1$", "7"));
    assertThat(drill.problems()).singleElement().asString().contains("message m0", "7", "1");
  }

  @Test
  void aDeliveryInTwoPlacesIsNamed() {
    drill.redis("ZADD", drill.key("a", "x:a"), "1", sequence("m1"));
    assertThat(drill.problems())
        .anySatisfy(problem -> assertThat(problem).contains("m1 for a", "ready and dead"));
  }

  @Test
  void oneInFlightWithoutAClaimIsNamed() {
    drill.redis("ZREM", drill.key("a", "r:a"), sequence("m0"));
    drill.redis("ZADD", drill.key("a", "f:a"), "99999999999999", sequence("m0"));
    assertThat(drill.problems())
        .anySatisfy(problem -> assertThat(problem).contains("m0 for a", "without a claim"));
  }

  @Test
  void aSubscriberWhoseAcceptedDoesNotMatchIsNamed() {
    drill.redis("HINCRBY", drill.key("a", "s:a"), "acc", "3");
    assertThat(drill.problems())
        .anySatisfy(problem -> assertThat(problem).contains("subscriber a accepted 5", "for 2"));
  }

  @Test
  void aDeliveryThatIsNowhereIsNamed() {
    drill.redis("ZREM", drill.key("a", "r:a"), sequence("m0"));
    assertThat(drill.problems())
        .anySatisfy(problem -> assertThat(problem).contains("m0", "for a", "nowhere"))
        .anySatisfy(problem -> assertThat(problem).contains("subscriber a accepted 2"));
  }

  @Test
  void workThatNothingWillWakeIsNamed() {
    drill.redis("ZREM", drill.key("a", "active"), "a");
    assertThat(drill.problems()).singleElement().asString().contains("subscriber a", "wake");
  }
}
