package dev.weir.store.connection;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RedisInfoTest {

  @Test
  void fieldsAreReadAndHeadingsAreNot() {
    RedisInfo info = RedisInfo.parse("# Server\r\nredis_version:7.0.15\r\nos:a:b\r\n\r\nx:12\r\n");
    assertThat(info.text("redis_version")).isEqualTo("7.0.15");
    assertThat(info.text("os")).isEqualTo("a:b");
    assertThat(info.number("x", -1)).isEqualTo(12);
    assertThat(info.number("redis_version", -1)).isEqualTo(-1);
    assertThat(info.number("absent", -1)).isEqualTo(-1);
  }

  @ParameterizedTest
  @CsvSource({
    "90, 100, 0, false",
    "91, 100, 0, true",
    "91, 0, 100, true",
    "91, 200, 100, false",
    "91, 0, 0, false"
  })
  void highWaterIsNineTenthsOfTheLimitOrOfTheMachine(
      long used, long maxmemory, long system, boolean above) {
    RedisInfo info =
        RedisInfo.parse(
            "used_memory:%d\nmaxmemory:%d\ntotal_system_memory:%d"
                .formatted(used, maxmemory, system));
    assertThat(StoreMemory.Usage.of(info).aboveHighWater()).isEqualTo(above);
  }
}
