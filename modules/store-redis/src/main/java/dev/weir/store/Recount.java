package dev.weir.store;

import dev.weir.domain.message.Escaping;
import dev.weir.protocol.store.InspectionStore.Balance;
import dev.weir.store.connection.RedisLanes;
import io.vertx.core.Future;
import io.vertx.redis.client.Command;
import io.vertx.redis.client.Request;
import io.vertx.redis.client.Response;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Proves invariant 1 by recounting. Three walks with cursors, in short steps: over the subscribers
 * and their sets; over the messages; over the bodies. Each thing is judged by one script at one
 * instant, so traffic that goes on meanwhile raises no false alarm; what moves past one walk is
 * seen by the next, from its other side.
 */
final class Recount {

  private static final int PROBLEMS_SHOWN = 100;
  private static final int SUBSCRIBERS_A_STEP = 50;
  private static final int MEMBERS_A_STEP = 100;
  private static final int KEYS_A_STEP = 500;
  private static final List<String> SETS = List.of("r", "z", "f", "x", "y");

  /** A message's index or a body: partition, kind, name. */
  private static final Pattern KEY = Pattern.compile("weir:\\{(\\d+)}:([mb]):(.+)", Pattern.DOTALL);

  private final RedisLanes lanes;
  private final Scripts scripts;
  private final Partitions partitions;

  Recount(RedisLanes lanes, Scripts scripts, Partitions partitions) {
    this.lanes = lanes;
    this.scripts = scripts;
    this.partitions = partitions;
  }

  Future<Balance> run() {
    Sums sums = new Sums();
    return subscribers(0, "", sums).compose(done -> keys("0", sums)).map(done -> sums.balance());
  }

  /** What was found so far; touched by one walk at a time. */
  private static final class Sums {
    private final long[] sides = new long[9];
    private long bodies;
    private long problemCount;
    private final List<String> problems = new ArrayList<>();

    void problem(String text) {
      problemCount++;
      if (problems.size() < PROBLEMS_SHOWN) {
        problems.add(text);
      }
    }

    void problems(Response reply, int from) {
      for (int i = from; i < reply.size(); i++) {
        problem(reply.get(i).toString());
      }
    }

    /**
     * Sides in the order of tally.lua: acc del can pur, ready delayed in flight dead reconciling.
     */
    void add(Response reply, int at) {
      long held = 0;
      for (int i = 0; i < sides.length; i++) {
        long value = Reply.number(reply.get(at + 1 + i));
        sides[i] += value;
        held += i == 0 ? 0 : value;
      }
      String subscriber = "subscriber " + Escaping.unescape(reply.get(at).toString());
      long accepted = Reply.number(reply.get(at + 1));
      if (accepted != held) {
        problem(subscriber + " accepted " + accepted + " deliveries but accounts for " + held);
      }
      if (Reply.code(reply.get(at + 10)) == 1) {
        problem(subscriber + " has something to do and nothing will wake it");
      }
    }

    Balance balance() {
      return new Balance(
          sides[0],
          sides[1],
          sides[2],
          sides[3],
          sides[7],
          sides[8],
          sides[4] + sides[5] + sides[6],
          bodies,
          List.copyOf(problems),
          problemCount);
    }
  }

  // Subscribers and their sets

  private Future<Void> subscribers(int partition, String after, Sums sums) {
    if (partition >= partitions.count()) {
      return Future.succeededFuture();
    }
    return scripts
        .run("tally", partition, List.<Object>of(after, (long) SUBSCRIBERS_A_STEP))
        .compose(
            reply -> {
              List<String> sids = new ArrayList<>();
              Future<Void> checked = Future.succeededFuture();
              for (int at = 0; at + 10 < reply.size(); at += 11) {
                sums.add(reply, at);
                sids.add(reply.get(at).toString());
                checked = checkSets(checked, partition, reply, at, sums);
              }
              return checked.compose(
                  done ->
                      sids.size() < SUBSCRIBERS_A_STEP
                          ? subscribers(partition + 1, "", sums)
                          : subscribers(partition, sids.get(sids.size() - 1), sums));
            });
  }

  private Future<Void> checkSets(
      Future<Void> before, int partition, Response reply, int at, Sums sums) {
    Future<Void> checked = before;
    String sid = reply.get(at).toString();
    for (int i = 0; i < SETS.size(); i++) {
      if (Reply.number(reply.get(at + 5 + i)) > 0) {
        String set = SETS.get(i);
        checked = checked.compose(done -> checkSet(partition, sid, set, "0", sums));
      }
    }
    return checked;
  }

  private Future<Void> checkSet(int partition, String sid, String set, String cursor, Sums sums) {
    return scripts
        .run("check_set", partition, List.<Object>of(sid, set, cursor, (long) MEMBERS_A_STEP))
        .compose(
            reply -> {
              sums.problems(reply, 1);
              String next = reply.get(0).toString();
              return next.equals("0")
                  ? Future.succeededFuture()
                  : checkSet(partition, sid, set, next, sums);
            });
  }

  // Messages and bodies

  private Future<Void> keys(String cursor, Sums sums) {
    Request scan =
        Request.cmd(Command.SCAN)
            .arg(cursor)
            .arg("MATCH")
            .arg("weir:{*}:[mb]:*")
            .arg("COUNT")
            .arg(KEYS_A_STEP);
    return lanes
        .lane()
        .send(scan)
        .compose(
            reply -> {
              String next = reply.get(0).toString();
              return checkKeys(reply.get(1), sums)
                  .compose(done -> next.equals("0") ? Future.succeededFuture() : keys(next, sums));
            });
  }

  private record Batch(int partition, String script) {}

  private Future<Void> checkKeys(Response found, Sums sums) {
    Map<Batch, List<String>> batches = new HashMap<>();
    for (Response key : found) {
      Matcher parts = KEY.matcher(key.toString());
      if (parts.matches()) {
        boolean body = parts.group(2).equals("b");
        sums.bodies += body ? 1 : 0;
        Batch batch =
            new Batch(Integer.parseInt(parts.group(1)), body ? "check_body" : "check_message");
        batches.computeIfAbsent(batch, missing -> new ArrayList<>()).add(parts.group(3));
      }
    }
    List<Future<Void>> checks = new ArrayList<>();
    batches.forEach(
        (batch, names) ->
            checks.add(
                scripts
                    .run(batch.script(), batch.partition(), names)
                    .map(
                        reply -> {
                          sums.problems(reply, 0);
                          return null;
                        })));
    return Future.all(checks).mapEmpty();
  }
}
