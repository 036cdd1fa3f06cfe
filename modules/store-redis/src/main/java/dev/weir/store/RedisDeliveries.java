package dev.weir.store;

import static java.util.Objects.requireNonNullElse;

import dev.weir.domain.message.DeliveryId;
import dev.weir.domain.message.Escaping;
import dev.weir.domain.outcome.Outcome;
import dev.weir.protocol.store.ClaimId;
import dev.weir.protocol.store.DeliveryStore;
import dev.weir.protocol.store.StoreException;
import dev.weir.protocol.store.StoreException.Kind;
import io.vertx.core.Future;
import io.vertx.core.json.DecodeException;
import io.vertx.redis.client.Response;
import java.util.ArrayList;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The life of deliveries, one method per script. */
final class RedisDeliveries implements DeliveryStore {

  /** Bounds how long one settle holds Redis: a few hundred µs. */
  private static final int SETTLE_BATCH = 128;

  private static final Logger LOG = LoggerFactory.getLogger(RedisDeliveries.class);

  private static final Limit[] LIMITS = Limit.values();
  private static final Settled[] SETTLED = Settled.values();

  private final Scripts scripts;
  private final Partitions partitions;
  private final Continuity continuity;

  RedisDeliveries(Scripts scripts, Partitions partitions, Continuity continuity) {
    this.scripts = scripts;
    this.partitions = partitions;
    this.continuity = continuity;
  }

  @Override
  public int partitions() {
    return partitions.count();
  }

  @Override
  public Future<Long> beginEpoch() {
    return scripts.beginEpoch().compose(epoch -> announce(Reply.number(epoch)));
  }

  private Future<Long> announce(long epoch) {
    return partitions
        .each(partition -> scripts.run("epoch", partition, List.of(epoch)))
        .map(
            all -> {
              all.forEach(inForce -> requireNewest(epoch, Reply.number(inForce)));
              continuity.began(epoch);
              return epoch;
            });
  }

  private static void requireNewest(long epoch, long inForce) {
    if (inForce > epoch) {
      throw new StoreException(
          Kind.FENCED, "beginEpoch", "epoch " + inForce + " is newer than " + epoch, null);
    }
  }

  // Claim

  @Override
  public Future<List<ClaimReply>> claim(
      int partition, ClaimId claim, List<ClaimRequest> requests, int maxBytes) {
    if (requests.isEmpty()) {
      return Future.succeededFuture(List.of());
    }
    List<Object> args = new ArrayList<>(3 + 2 * requests.size());
    args.add(claim.epoch());
    args.add(claim.toString());
    args.add((long) maxBytes);
    for (ClaimRequest request : requests) {
      args.add(Escaping.escape(request.subscriber()));
      args.add((long) request.count());
    }
    return scripts
        .run("claim", partition, args)
        .compose(reply -> read(partition, claim, requests, reply));
  }

  /** What can't be read is given up first: nobody may start what stands in a reply that fails. */
  private Future<List<ClaimReply>> read(
      int partition, ClaimId claim, List<ClaimRequest> requests, Response reply) {
    List<ClaimReply> replies = new ArrayList<>(requests.size());
    Future<Void> givenUp = Future.succeededFuture();
    for (int i = 0; i < requests.size(); i++) {
      String subscriber = requests.get(i).subscriber();
      List<Object> spoilt = new ArrayList<>();
      replies.add(claimReply(subscriber, claim, reply.get(i), spoilt));
      if (!spoilt.isEmpty()) {
        givenUp = givenUp.compose(before -> giveUp(partition, claim, subscriber, spoilt));
      }
    }
    return givenUp.map(done -> replies);
  }

  private Future<Void> giveUp(
      int partition, ClaimId claim, String subscriber, List<Object> sequences) {
    LOG.error(
        "{} deliveries of subscriber {} can't be read from the store; they are dead letters now",
        sequences.size(),
        subscriber);
    List<Object> args = new ArrayList<>(2 + sequences.size());
    args.add(Escaping.escape(subscriber));
    args.add(claim.toString());
    args.addAll(sequences);
    return scripts.run("spoil", partition, args).mapEmpty();
  }

  private static ClaimReply claimReply(
      String subscriber, ClaimId claim, Response reply, List<Object> spoilt) {
    List<Claimed> claimed = new ArrayList<>((reply.size() - 3) / 2);
    for (int i = 3; i + 1 < reply.size(); i += 2) {
      String meta = reply.get(i).toString();
      try {
        claimed.add(claimed(subscriber, claim, meta, reply.get(i + 1)));
      } catch (IllegalArgumentException | IndexOutOfBoundsException | DecodeException unreadable) {
        spoilt.add(meta.substring(0, meta.indexOf(' ')));
      }
    }
    return new ClaimReply(
        subscriber,
        claimed,
        LIMITS[Reply.code(reply.get(0))],
        Reply.number(reply.get(1)),
        Reply.number(reply.get(2)));
  }

  private static Claimed claimed(String subscriber, ClaimId claim, String meta, Response stored) {
    String[] part = meta.split(" ", -1);
    StoredMessage message = StoredMessage.parse(stored.toBuffer());
    return new Claimed(
        new DeliveryId(message.id(), subscriber),
        Long.parseLong(part[0]),
        claim,
        Integer.parseInt(part[1]),
        Integer.parseInt(part[2]),
        Integer.parseInt(part[3]),
        Integer.parseInt(part[4]),
        Long.parseLong(part[5]),
        Long.parseLong(part[6]),
        Long.parseLong(part[7]),
        part[8].equals("1"),
        message.envelope(),
        message.body());
  }

  // Settle

  @Override
  public Future<List<SettleReply>> settle(int partition, List<Settlement> settlements) {
    if (settlements.isEmpty()) {
      return Future.succeededFuture(List.of());
    }
    if (settlements.size() > SETTLE_BATCH) {
      return settle(partition, settlements.subList(0, SETTLE_BATCH))
          .compose(
              head ->
                  settle(partition, settlements.subList(SETTLE_BATCH, settlements.size()))
                      .map(
                          tail -> {
                            List<SettleReply> all = new ArrayList<>(head);
                            all.addAll(tail);
                            return all;
                          }));
    }
    List<Object> args = new ArrayList<>(12 * settlements.size());
    settlements.forEach(settlement -> append(args, settlement));
    return scripts.run("settle", partition, args).map(RedisDeliveries::settleReplies);
  }

  private static void append(List<Object> args, Settlement settlement) {
    Outcome outcome = settlement.outcome();
    args.add(Escaping.escape(settlement.id().subscriber()));
    args.add(settlement.sequence());
    args.add(settlement.id().message().key());
    args.add(settlement.claim().toString());
    args.add(kind(outcome));
    args.add(delayMs(outcome));
    args.add(outcome instanceof Outcome.Retry retry ? budget(retry) : "n");
    args.add(outcome.gateMs());
    args.add(flags(settlement));
    args.add(outcome.reason());
    args.add(requireNonNullElse(settlement.trace(), ""));
    args.add(health(outcome));
  }

  private static String kind(Outcome outcome) {
    if (outcome instanceof Outcome.Delivered) {
      return "d";
    }
    if (outcome instanceof Outcome.Retry) {
      return "r";
    }
    return outcome instanceof Outcome.Dead ? "x" : "y";
  }

  private static long delayMs(Outcome outcome) {
    if (outcome instanceof Outcome.Retry retry) {
      return retry.delayMs();
    }
    return outcome instanceof Outcome.Reconcile reconcile ? reconcile.askedDelayMs() : -1;
  }

  private static String budget(Outcome.Retry retry) {
    return switch (retry.spends()) {
      case FAILURE -> "f";
      case RATE_LIMIT -> "l";
      case NONE -> "n";
    };
  }

  private static String health(Outcome outcome) {
    return switch (outcome.health()) {
      case ALIVE -> "a";
      case FAILING -> "f";
      case UNTOLD -> "u";
    };
  }

  private static String flags(Settlement settlement) {
    Outcome outcome = settlement.outcome();
    String keep = settlement.keepTrace() ? "k" : "";
    if (outcome instanceof Outcome.Dead dead && dead.disableSubscriber()) {
      return keep + "g";
    }
    boolean pause =
        outcome instanceof Outcome.Retry retry && retry.pauseSubscriber()
            || outcome instanceof Outcome.Reconcile reconcile && reconcile.pauseSubscriber();
    return pause ? keep + "p" : keep;
  }

  private static List<SettleReply> settleReplies(Response reply) {
    List<SettleReply> replies = new ArrayList<>(reply.size() / 2);
    for (int i = 0; i + 1 < reply.size(); i += 2) {
      replies.add(
          new SettleReply(SETTLED[Reply.code(reply.get(i))], Reply.number(reply.get(i + 1))));
    }
    return replies;
  }

  // Release, recover, sweep, purge

  @Override
  public Future<Void> release(int partition, ClaimId claim, List<Claimed> unstarted) {
    if (unstarted.isEmpty()) {
      return Future.succeededFuture();
    }
    List<Object> args = new ArrayList<>(1 + 2 * unstarted.size());
    args.add(claim.toString());
    for (Claimed claimed : unstarted) {
      args.add(Escaping.escape(claimed.id().subscriber()));
      args.add(claimed.sequence());
    }
    return scripts.run("release", partition, args).mapEmpty();
  }

  @Override
  public Future<Integer> recover(int partition, long epoch, int limit) {
    return scripts.run("recover", partition, List.<Object>of(epoch, (long) limit)).map(Reply::code);
  }

  @Override
  public Future<Sweep> sweep(int partition, int limit) {
    return scripts
        .run("sweep", partition, List.<Object>of((long) limit))
        .map(
            reply -> {
              List<Due> due = new ArrayList<>(reply.size() / 2);
              for (int i = 1; i + 1 < reply.size(); i += 2) {
                String subscriber = Escaping.unescape(reply.get(i).toString());
                due.add(new Due(subscriber, Reply.number(reply.get(i + 1))));
              }
              return new Sweep(due, Reply.number(reply.get(0)));
            });
  }

  @Override
  public Future<Integer> purgeDeadLetters(int partition, long olderThanMs, int limit) {
    return scripts
        .run("purge", partition, List.<Object>of(olderThanMs, (long) limit))
        .map(Reply::code);
  }
}
