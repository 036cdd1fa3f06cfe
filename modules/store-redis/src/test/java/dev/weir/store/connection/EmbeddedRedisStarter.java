package dev.weir.store.connection;

import java.nio.file.Path;

/**
 * A node's process as far as the embedded Redis is concerned: starts it, and lives until killed.
 */
final class EmbeddedRedisStarter {

  private EmbeddedRedisStarter() {}

  public static void main(String[] args) throws InterruptedException {
    try {
      EmbeddedRedis redis = EmbeddedRedis.start(Path.of(args[0]), EmbeddedRedis.Fsync.ALWAYS);
      System.out.println("started " + redis.pid());
    } catch (EmbeddedRedisException e) {
      System.out.println("refused " + e.getMessage());
      return;
    }
    Thread.currentThread().join();
  }
}
