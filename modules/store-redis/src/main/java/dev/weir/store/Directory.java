package dev.weir.store;

import dev.weir.store.connection.RedisLanes;
import io.vertx.core.Future;
import io.vertx.redis.client.Command;
import io.vertx.redis.client.Request;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.IntFunction;
import java.util.function.Predicate;

/**
 * Where a subscriber lives. Its own quota has its own id, so its partition needs no look-up; one
 * that shares a quota stands in a small hash, of which this keeps what it has seen. A wrong answer
 * is found by the script, which then doesn't know the subscriber. Thread-safe.
 */
final class Directory {

  /** Forgotten as a whole when it grows past this: a cache, and cheap to fill again. */
  private static final int MOST_ENTRIES = 100_000;

  private final RedisLanes lanes;
  private final Partitions partitions;
  private final Map<String, Integer> sharing = new ConcurrentHashMap<>();

  Directory(RedisLanes lanes, Partitions partitions) {
    this.lanes = lanes;
    this.partitions = partitions;
  }

  /** The partition as far as this process knows. */
  int guess(String sid) {
    Integer known = sharing.get(sid);
    return known != null ? known : partitions.ofEscaped(sid);
  }

  /**
   * Calls with the guessed partition; if the subscriber isn't there, looks it up and calls again.
   */
  <T> Future<T> at(String sid, IntFunction<Future<T>> call, Predicate<T> unknown) {
    int guessed = guess(sid);
    return call.apply(guessed)
        .compose(
            reply ->
                unknown.test(reply)
                    ? lookUp(sid)
                        .compose(
                            found ->
                                found == guessed
                                    ? Future.succeededFuture(reply)
                                    : call.apply(found))
                    : Future.succeededFuture(reply));
  }

  /** Reads the directory itself. */
  Future<Integer> lookUp(String sid) {
    return quotaOf(sid)
        .map(
            qid -> {
              if (qid.isEmpty()) {
                sharing.remove(sid);
                return partitions.ofEscaped(sid);
              }
              int partition = partitions.ofEscaped(qid);
              remember(sid, partition);
              return partition;
            });
  }

  /** The shared quota's escaped id, empty when the directory doesn't name one. */
  Future<String> quotaOf(String sid) {
    return lanes
        .lane()
        .send(Request.cmd(Command.HGET).arg(Keys.directory()).arg(sid))
        .map(found -> found == null ? "" : found.toString());
  }

  /** Enters a subscriber unless it stands there already; gives the quota that stands there now. */
  Future<String> enter(String sid, String qid) {
    return lanes
        .lane()
        .send(Request.cmd(Command.HSETNX).arg(Keys.directory()).arg(sid).arg(qid))
        .compose(set -> Reply.code(set) == 1 ? Future.succeededFuture(qid) : quotaOf(sid));
  }

  Future<Void> remove(String sid) {
    sharing.remove(sid);
    return lanes.lane().send(Request.cmd(Command.HDEL).arg(Keys.directory()).arg(sid)).mapEmpty();
  }

  private void remember(String sid, int partition) {
    if (sharing.size() >= MOST_ENTRIES) {
      sharing.clear();
    }
    sharing.put(sid, partition);
  }
}
