package dev.weir.testkit.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class RespProxyIT {

  private static final String COUNT = "return redis.call('INCR', KEYS[1])";
  private static final String OTHER = "return redis.call('GET', KEYS[1])";

  private static RedisProcess redis = RedisProcess.start();
  private RespProxy proxy = RespProxy.to(redis.port());
  private String count = "";
  private String other = "";

  @BeforeAll
  static void server() {
    assertThat(redis.call("PING")).isEqualTo("PONG");
  }

  @AfterAll
  static void end() {
    redis.close();
  }

  @BeforeEach
  void load() {
    redis.call("FLUSHALL");
    count = String.valueOf(redis.call("SCRIPT", "LOAD", COUNT));
    other = String.valueOf(redis.call("SCRIPT", "LOAD", OTHER));
  }

  @AfterEach
  void close() {
    proxy.close();
  }

  @Test
  void losesTheNthReplyAfterRedisHasRunIt() throws IOException {
    proxy.dropNth(count, 3);
    try (RedisClient client = connect()) {
      assertThat(client.call("EVALSHA", count, "1", "k")).isEqualTo(1L);
      assertThat(client.call("EVALSHA", other, "1", "k")).isEqualTo("1");
      assertThat(client.call("EVALSHA", count, "1", "k")).isEqualTo(2L);
      assertThatThrownBy(() -> client.call("EVALSHA", count, "1", "k"))
          .isInstanceOf(UncheckedIOException.class);
    }
    assertThat(redis.call("GET", "k")).isEqualTo("3");
    try (RedisClient client = connect()) {
      assertThat(client.call("EVALSHA", count, "1", "k")).isEqualTo(4L);
    }
    assertThat(proxy.dropped(count)).isEqualTo(1);
    assertThat(proxy.dropped()).isEqualTo(1);
    assertThat(proxy.runs(count)).isEqualTo(4);
    assertThat(proxy.runs(other)).isEqualTo(1);
    assertThat(proxy.lostBehind()).isZero();
    assertThat(proxy.requests()).isEqualTo(5);
    assertThat(proxy.replies()).isEqualTo(4);
  }

  @Test
  void losesEachReplyWithTheProbabilityAskedFor() throws IOException {
    proxy.dropEach(count, 0.25, 42);
    int lost = 0;
    for (int i = 0; i < 400; i++) {
      try (RedisClient client = connect()) {
        client.call("EVALSHA", count, "1", "k");
      } catch (UncheckedIOException e) {
        lost++;
      }
    }
    assertThat(lost).isBetween(60, 140);
    assertThat(proxy.dropped(count)).isEqualTo(lost);
    assertThat(redis.call("GET", "k")).isEqualTo("400");
    proxy.dropNone();
    try (RedisClient client = connect()) {
      assertThat(client.call("EVALSHA", count, "1", "k")).isEqualTo(401L);
    }
  }

  @Test
  void countsAScriptSentAsSourceAndNotTheAnswerThatItIsUnknown() throws IOException {
    redis.call("SCRIPT", "FLUSH", "SYNC");
    proxy.dropNth(count, 1);
    try (RedisClient client = connect()) {
      assertThatThrownBy(() -> client.call("EVALSHA", count, "1", "k"))
          .hasMessageContaining("NOSCRIPT");
      assertThatThrownBy(() -> client.call("EVAL", COUNT, "1", "k"))
          .isInstanceOf(UncheckedIOException.class);
    }
    assertThat(proxy.runs(count)).isEqualTo(1);
    assertThat(redis.call("GET", "k")).isEqualTo("1");
  }

  @Test
  void delaysEachReply() throws IOException {
    try (RedisClient client = connect()) {
      client.call("PING");
      proxy.delayReplies(Duration.ofMillis(80));
      long startNanos = System.nanoTime();
      client.call("PING");
      assertThat(System.nanoTime() - startNanos).isGreaterThan(79_000_000);
    }
  }

  @Test
  void cutsAllAndRefusesAndTakesAgain() throws IOException {
    try (RedisClient client = connect()) {
      client.call("PING");
      proxy.cutAll();
      assertThatThrownBy(() -> client.call("PING")).isInstanceOf(UncheckedIOException.class);
    }
    proxy.refuse(true);
    try (RedisClient client = connect()) {
      assertThatThrownBy(() -> client.call("PING")).isInstanceOf(UncheckedIOException.class);
    }
    proxy.refuse(false);
    try (RedisClient client = connect()) {
      assertThat(client.call("PING")).isEqualTo("PONG");
    }
  }

  @Test
  void passesLargeAndNestedRepliesUnchanged() throws IOException {
    String large = "é".repeat(200_000);
    try (RedisClient client = connect()) {
      client.call("SET", "large", large);
      assertThat(client.call("GET", "large")).isEqualTo(large);
      assertThat(String.valueOf(client.call("EVAL", "return {1,{'a',false,{}},'b'}", "0")))
          .isEqualTo("[1, [a, null, []], b]");
    }
  }

  @Test
  void killedRedisEndsTheConnectionsAndARestartedOneIsReachedAgain() throws IOException {
    try (RedisProcess own = RedisProcess.start();
        RespProxy before = RespProxy.to(own.port())) {
      try (RedisClient client = new RedisClient(before.port(), Duration.ofSeconds(5))) {
        client.call("SET", "a", "b");
        own.kill();
        assertThatThrownBy(() -> client.call("PING")).isInstanceOf(UncheckedIOException.class);
      }
      own.restart();
      try (RedisClient client = new RedisClient(before.port(), Duration.ofSeconds(5))) {
        assertThat(client.call("GET", "a")).isEqualTo("b");
      }
    }
  }

  private RedisClient connect() throws IOException {
    return new RedisClient(proxy.port(), Duration.ofSeconds(5));
  }
}
