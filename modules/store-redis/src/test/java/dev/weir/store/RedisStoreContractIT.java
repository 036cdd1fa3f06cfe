package dev.weir.store;

import dev.weir.testkit.redis.RedisProcess;
import dev.weir.testkit.store.StoreContract;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

/** The contract of every store, on a real Redis. */
final class RedisStoreContractIT extends StoreContract {

  private static @Nullable RedisProcess redis;

  @BeforeAll
  static void startRedis() {
    redis = RedisProcess.start("appendonly no");
  }

  @AfterAll
  static void stopRedis() {
    if (redis != null) {
      redis.close();
    }
  }

  @Override
  protected Harness start() {
    if (redis == null) {
      throw new IllegalStateException("Redis has not been started");
    }
    return RedisBench.onEmpty(redis);
  }
}
