package dev.weir.store;

import dev.weir.protocol.store.StoreException;
import dev.weir.protocol.store.StoreException.Kind;
import dev.weir.store.connection.RedisLanes;
import io.vertx.core.Future;
import io.vertx.redis.client.Command;
import io.vertx.redis.client.Request;
import io.vertx.redis.client.Response;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Whether Redis still holds the store that this process began with. One that came back empty, or
 * older than it was, takes scripts as if nothing had happened: the epoch that was announced and is
 * not there any more gives it away. What can be remade is remade, so that the node goes on without
 * a restart; what is lost is said until then. Thread-safe.
 */
final class Continuity {

  private static final Logger LOG = LoggerFactory.getLogger(Continuity.class);

  private static final long NOT_BEGUN = -1;

  private final RedisLanes lanes;
  private final Scripts scripts;
  private final Partitions partitions;
  private volatile long epoch = NOT_BEGUN;
  private volatile String loss = "";

  Continuity(RedisLanes lanes, Scripts scripts, Partitions partitions) {
    this.lanes = lanes;
    this.scripts = scripts;
    this.partitions = partitions;
  }

  /** This process has announced its epoch: from now on the store must know it. */
  void began(long epoch) {
    this.epoch = epoch;
  }

  /** What was found lost since the start of this process, in a sentence; empty when nothing was. */
  String loss() {
    return loss;
  }

  /** Fails when the store can't be used, or was remade in a way that this process can't use. */
  Future<Void> look() {
    long begun = epoch;
    if (begun == NOT_BEGUN) {
      return Future.succeededFuture();
    }
    return meta(Command.HGET, "epoch")
        .compose(
            found ->
                found != null && Reply.number(found) >= begun
                    ? Future.succeededFuture()
                    : remake(begun, found));
  }

  private Future<Void> remake(long begun, @Nullable Response found) {
    tell(found == null);
    return meta(Command.HSETNX, "format", RedisStore.FORMAT)
        .compose(format -> meta(Command.HSETNX, "partitions", partitions.count()))
        .compose(set -> meta(Command.HGET, "partitions"))
        .compose(this::requireSame)
        .compose(same -> partitions.each(one -> scripts.run("epoch", one, List.of(begun))))
        // Last: as long as it is missing, the next look repeats all of it.
        .compose(announced -> meta(Command.HSET, "epoch", begun))
        .mapEmpty();
  }

  private void tell(boolean empty) {
    String what =
        empty
            ? "Redis came back without this store's data at %s: its subscribers, messages and what"
                + " was delivered are lost; put the subscribers again and publish what is missing"
            : "Redis came back with older data at %s: what was accepted, delivered or changed since"
                + " is lost, and messages may be sent again; compare the subscribers with yours";
    loss = String.format(what, Instant.now().truncatedTo(ChronoUnit.SECONDS));
    LOG.error(loss);
  }

  private Future<Void> requireSame(@Nullable Response kept) {
    int count = Reply.code(kept);
    return count == partitions.count()
        ? Future.succeededFuture()
        : Future.failedFuture(
            new StoreException(
                Kind.BROKEN,
                "look",
                "the store was made anew with "
                    + count
                    + " partitions, this process works with "
                    + partitions.count()
                    + "; restart it",
                null));
  }

  private Future<Response> meta(Command command, String field, long value) {
    return lanes.lane().send(Request.cmd(command).arg(Keys.meta()).arg(field).arg(value));
  }

  private Future<Response> meta(Command command, String field) {
    return lanes.lane().send(Request.cmd(command).arg(Keys.meta()).arg(field));
  }
}
