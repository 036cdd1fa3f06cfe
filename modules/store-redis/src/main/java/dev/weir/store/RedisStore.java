package dev.weir.store;

import dev.weir.protocol.store.ConfigStore;
import dev.weir.protocol.store.DeliveryStore;
import dev.weir.protocol.store.InspectionStore;
import dev.weir.protocol.store.PublishStore;
import dev.weir.protocol.store.Store;
import dev.weir.protocol.store.StoreException;
import dev.weir.protocol.store.StoreException.Kind;
import dev.weir.store.connection.RedisLanes;
import dev.weir.store.connection.Script;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.redis.client.Command;
import io.vertx.redis.client.Request;
import io.vertx.redis.client.Response;

/** The store on one Redis. Thread-safe; futures complete on the caller's context. */
public final class RedisStore implements Store {

  /** Of the data as it lies in Redis; grows when an older Weir could not read it. */
  public static final int FORMAT = 1;

  /** Chosen at the first start of a store and kept in it. */
  public static final int DEFAULT_PARTITIONS = 64;

  private final RedisLanes lanes;
  private final Pulse pulse;
  private final RedisDeliveries deliveries;
  private final RedisPublishes publishes;
  private final RedisConfig config;
  private final RedisInspection inspection;

  private RedisStore(RedisLanes lanes, Partitions partitions, StoreConfig constants, Vertx vertx) {
    Scripts scripts = new Scripts(lanes, constants);
    Continuity continuity = new Continuity(lanes, scripts, partitions);
    Directory directory = new Directory(lanes, partitions);
    this.lanes = lanes;
    this.pulse = new Pulse(vertx, lanes, constants.fullPercent(), continuity);
    this.deliveries = new RedisDeliveries(scripts, partitions, continuity);
    this.publishes = new RedisPublishes(scripts, partitions, directory, pulse);
    this.config = new RedisConfig(lanes, scripts, partitions, directory, constants);
    this.inspection =
        new RedisInspection(
            scripts, partitions, directory, pulse, new Recount(lanes, scripts, partitions));
  }

  /**
   * Opens the store, and makes one where there is none yet.
   *
   * @param partitions for a new store; an existing one keeps its own number
   * @return fails with {@code BROKEN} when a newer Weir wrote this store
   */
  public static Future<RedisStore> open(
      Vertx vertx, RedisLanes lanes, StoreConfig constants, int partitions) {
    return setOnce(lanes, "format", FORMAT)
        .compose(format -> requireReadable(format))
        .compose(readable -> setOnce(lanes, "partitions", partitions))
        .compose(
            kept -> {
              RedisStore store = new RedisStore(lanes, new Partitions(kept), constants, vertx);
              return store.pulse.start().map(store);
            });
  }

  /** A transition as Redis knows it, for whoever watches the wire. */
  public static Script script(String name, StoreConfig constants) {
    return Scripts.of(name, constants.lua());
  }

  /** Written only where it is missing: on a full Redis even a write of no effect is refused. */
  private static Future<Integer> setOnce(RedisLanes lanes, String field, int value) {
    return kept(lanes, field)
        .compose(
            kept ->
                kept != null
                    ? Future.succeededFuture(kept)
                    : lanes
                        .lane()
                        .send(Request.cmd(Command.HSETNX).arg(Keys.meta()).arg(field).arg(value))
                        .compose(set -> kept(lanes, field)))
        .map(Reply::code);
  }

  private static Future<Response> kept(RedisLanes lanes, String field) {
    return lanes.lane().send(Request.cmd(Command.HGET).arg(Keys.meta()).arg(field));
  }

  private static Future<Void> requireReadable(int format) {
    return format <= FORMAT
        ? Future.succeededFuture()
        : Future.failedFuture(
            new StoreException(
                Kind.BROKEN,
                "open",
                "the store has format "
                    + format
                    + ", written by a newer Weir; this one reads formats up to "
                    + FORMAT,
                null));
  }

  @Override
  public DeliveryStore deliveries() {
    return deliveries;
  }

  @Override
  public PublishStore publishes() {
    return publishes;
  }

  @Override
  public ConfigStore config() {
    return config;
  }

  @Override
  public InspectionStore inspection() {
    return inspection;
  }

  @Override
  public Health health() {
    // A lost connection is known at once, what the server says only once a second.
    Health connections = lanes.health();
    return connections.ready() ? pulse.health() : connections;
  }

  /** Stops looking and closes the connections. */
  public Future<Void> close() {
    pulse.stop();
    return lanes.close();
  }
}
