package dev.weir.store;

import dev.weir.store.connection.RedisLanes;
import dev.weir.store.connection.Script;
import io.vertx.core.Future;
import io.vertx.redis.client.Response;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** The transitions, compiled with the store's constants, and how one is run. Thread-safe. */
final class Scripts {

  private final RedisLanes lanes;
  private final String constants;
  private final Map<String, Script> byName = new ConcurrentHashMap<>();

  Scripts(RedisLanes lanes, StoreConfig config) {
    this.lanes = lanes;
    this.constants = config.lua();
  }

  /** Runs a script on one partition, over the lane of the current context. */
  Future<Response> run(String name, int partition, List<?> args) {
    return lanes.lane().eval(script(name), Keys.of(partition), args);
  }

  /** The next store epoch, of the whole store. */
  Future<Response> beginEpoch() {
    return lanes.lane().eval(script("begin_epoch"), List.of(Keys.meta()), List.of());
  }

  private Script script(String name) {
    return byName.computeIfAbsent(name, missing -> of(missing, constants));
  }

  static Script of(String name, String constants) {
    return Script.load(name, constants);
  }
}
