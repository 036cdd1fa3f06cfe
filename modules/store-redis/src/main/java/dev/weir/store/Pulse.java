package dev.weir.store;

import dev.weir.protocol.store.Store.Health;
import dev.weir.protocol.store.StoreException;
import dev.weir.protocol.store.StoreException.Kind;
import dev.weir.store.connection.RedisLanes;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.redis.client.Command;
import io.vertx.redis.client.Request;

/**
 * What Redis says of itself once a second: whether it answers, how full it is, and whether it still
 * holds this store. A look is begun only after the last one ended. Thread-safe.
 */
final class Pulse {

  private static final long EVERY_MS = 1_000;

  /** Memory as Redis reports it; {@code max} is 0 without a limit. */
  record Memory(long used, long max) {}

  private final Vertx vertx;
  private final RedisLanes lanes;
  private final int fullPercent;
  private final Continuity continuity;
  private volatile Memory memory = new Memory(0, 0);
  private volatile String failure = "the store has not answered yet";
  private volatile boolean stopped;

  Pulse(Vertx vertx, RedisLanes lanes, int fullPercent, Continuity continuity) {
    this.vertx = vertx;
    this.lanes = lanes;
    this.fullPercent = fullPercent;
    this.continuity = continuity;
  }

  /** Completes after the first look, well or not. */
  Future<Void> start() {
    return look()
        .onComplete(
            done -> {
              if (!stopped) {
                vertx.setTimer(EVERY_MS, due -> start());
              }
            });
  }

  void stop() {
    stopped = true;
  }

  Health health() {
    String why = failure;
    return new Health(why.isEmpty(), why, continuity.loss());
  }

  Memory memory() {
    return memory;
  }

  /** Fails with FULL when the store has no room for what is new. */
  Future<Void> room(String operation) {
    Memory now = memory;
    if (now.max() > 0 && now.used() * 100.0 > now.max() * (double) fullPercent) {
      String detail =
          "the store uses "
              + now.used()
              + " of "
              + now.max()
              + " bytes; publishes are refused from "
              + fullPercent
              + " %";
      return Future.failedFuture(new StoreException(Kind.FULL, operation, detail, null));
    }
    return Future.succeededFuture();
  }

  Future<Void> look() {
    return lanes
        .lane()
        .send(Request.cmd(Command.INFO).arg("memory"))
        .compose(
            info -> {
              String text = info.toString();
              memory = new Memory(field(text, "used_memory"), field(text, "maxmemory"));
              return continuity.look();
            })
        .onSuccess(well -> failure = "")
        .recover(
            why -> {
              failure = "the store does not serve: " + why.getMessage();
              return Future.succeededFuture();
            });
  }

  private static long field(String info, String name) {
    for (String line : info.split("\r\n", -1)) {
      if (line.startsWith(name + ":")) {
        return Long.parseLong(line.substring(name.length() + 1).trim());
      }
    }
    return 0;
  }
}
