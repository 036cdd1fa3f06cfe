package dev.weir.store;

import dev.weir.domain.message.Escaping;
import dev.weir.protocol.store.PublishStore.Publication;
import dev.weir.protocol.store.Store;
import dev.weir.store.connection.LaneOptions;
import dev.weir.store.connection.RedisLanes;
import dev.weir.store.connection.RedisUrl;
import dev.weir.testkit.redis.RedisProcess;
import dev.weir.testkit.store.StoreContract.Harness;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.List;

/** A store on a Redis process that a test class shares; emptied at each opening. */
final class RedisBench implements Harness {

  private static final Duration LEASE_MARGIN = Duration.ofMillis(100);

  private static final int PARTITIONS = 8;

  private final Vertx vertx;
  private final RedisLanes lanes;
  private final RedisStore store;

  private RedisBench(RedisProcess redis, StoreConfig constants) {
    vertx = Vertx.vertx();
    lanes = new RedisLanes(vertx, RedisUrl.local(redis.port(), null), LaneOptions.defaults());
    store = call(() -> RedisStore.open(vertx, lanes, constants, PARTITIONS));
  }

  static RedisBench onEmpty(RedisProcess redis) {
    return onEmpty(redis, constants());
  }

  static RedisBench onEmpty(RedisProcess redis, StoreConfig constants) {
    redis.call("FLUSHALL");
    return new RedisBench(redis, constants);
  }

  /** Another process on the same data. */
  static RedisBench onKept(RedisProcess redis) {
    return new RedisBench(redis, constants());
  }

  static StoreConfig constants() {
    StoreConfig normal = StoreConfig.DEFAULT;
    return new StoreConfig(
        normal.ledger(),
        normal.trace(),
        LEASE_MARGIN,
        normal.slack(),
        normal.breakerFailures(),
        normal.breakerSpan(),
        normal.breakerBase(),
        normal.breakerMax(),
        normal.ramp(),
        normal.fullPercent());
  }

  @Override
  public Store store() {
    return store;
  }

  RedisPublishes publishes() {
    return (RedisPublishes) store.publishes();
  }

  @Override
  public boolean clockIsSettable() {
    return false;
  }

  @Override
  public void advance(Duration step) {
    Harness.pass(step);
  }

  @Override
  public long nowMs() {
    return System.currentTimeMillis();
  }

  @Override
  public Duration leaseMargin() {
    return LEASE_MARGIN;
  }

  @Override
  public boolean leaveUnfinished(Publication publication) {
    List<String> sids = publication.targets().stream().map(Escaping::escape).toList();
    call(() -> publishes().begin(publication, sids));
    return true;
  }

  @Override
  public void close() {
    call(store::close);
    Harness.await(vertx.close());
  }
}
