package dev.weir.store;

import dev.weir.domain.message.Escaping;
import dev.weir.domain.quota.Quota;
import dev.weir.domain.subscriber.Subscriber;
import dev.weir.domain.subscriber.Subscriber.OnAmbiguous;
import dev.weir.domain.subscriber.Subscriber.State;
import dev.weir.protocol.store.ConfigStore;
import dev.weir.store.connection.RedisLanes;
import io.vertx.core.Future;
import io.vertx.redis.client.Command;
import io.vertx.redis.client.Request;
import io.vertx.redis.client.Response;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Subscribers and quotas, one method per script. */
final class RedisConfig implements ConfigStore {

  private static final String RATE_ZERO = "rate is 0";

  /** Deliveries that one step of a delete purges. */
  private static final int DELETE_STEP = 100;

  private final RedisLanes lanes;
  private final Scripts scripts;
  private final Partitions partitions;
  private final Directory directory;
  private final StoreConfig config;

  RedisConfig(
      RedisLanes lanes,
      Scripts scripts,
      Partitions partitions,
      Directory directory,
      StoreConfig config) {
    this.lanes = lanes;
    this.scripts = scripts;
    this.partitions = partitions;
    this.directory = directory;
    this.config = config;
  }

  // Subscribers

  @Override
  public Future<PutSubscriber> putSubscriber(Subscriber subscriber, @Nullable Quota own) {
    String sid = Escaping.escape(subscriber.id());
    return own == null ? putSharing(subscriber, sid) : putOwn(subscriber, sid, own);
  }

  private Future<PutSubscriber> putOwn(Subscriber subscriber, String sid, Quota own) {
    return directory
        .quotaOf(sid)
        .compose(qid -> qid.isEmpty() ? Future.succeededFuture(false) : sharesStill(sid, qid))
        .compose(
            shares ->
                shares ? otherQuota() : put(partitions.ofEscaped(sid), subscriber, sid, sid, own));
  }

  /** An entry whose subscriber is gone is the rest of a put or delete that died: it is removed. */
  private Future<Boolean> sharesStill(String sid, String qid) {
    return exists(partitions.ofEscaped(qid), sid)
        .compose(
            exists ->
                exists
                    ? Future.succeededFuture(true)
                    : directory.remove(sid).map(removed -> false));
  }

  /** The directory comes first: a subscriber that it doesn't name could not be found. */
  private Future<PutSubscriber> putSharing(Subscriber subscriber, String sid) {
    String qid = Escaping.escape(subscriber.quotaId());
    int partition = partitions.ofEscaped(qid);
    return exists(partitions.ofEscaped(sid), sid)
        .compose(
            owns ->
                owns && partitions.ofEscaped(sid) != partition
                    ? otherQuota()
                    : enterAndPut(subscriber, sid, qid));
  }

  private Future<PutSubscriber> enterAndPut(Subscriber subscriber, String sid, String qid) {
    int partition = partitions.ofEscaped(qid);
    return scripts
        .run("quota", partition, List.of(qid))
        .compose(
            view -> {
              if (view.get(0) == null || Reply.code(view.get(0).get(2)) != 1) {
                return Future.succeededFuture(PutSubscriber.NO_QUOTA);
              }
              return directory
                  .enter(sid, qid)
                  .compose(
                      entered ->
                          entered.equals(qid)
                              ? put(partition, subscriber, sid, qid, null)
                              : replaceStale(subscriber, sid, qid, entered));
            });
  }

  private Future<PutSubscriber> replaceStale(
      Subscriber subscriber, String sid, String qid, String entered) {
    return sharesStill(sid, entered)
        .compose(shares -> shares ? otherQuota() : enterAndPut(subscriber, sid, qid));
  }

  private Future<PutSubscriber> put(
      int partition, Subscriber subscriber, String sid, String qid, @Nullable Quota own) {
    List<Object> args = new ArrayList<>();
    args.add(sid);
    args.add(qid);
    args.add(SubscriberCodec.encode(subscriber));
    args.add((long) subscriber.maxInFlight());
    args.add(subscriber.timeout().plus(config.leaseMargin()).toMillis());
    args.add(subscriber.onAmbiguous() == OnAmbiguous.HOLD ? "1" : "0");
    if (own != null) {
      appendQuota(args, own);
    }
    return scripts
        .run("put_subscriber", partition, args)
        .map(reply -> PutSubscriber.values()[Reply.code(reply)]);
  }

  private static void appendQuota(List<Object> args, Quota quota) {
    StoredRate rate = StoredRate.of(quota.rate());
    args.add(rate.tokens());
    args.add(rate.whole());
    args.add(rate.part());
    args.add((long) quota.burst());
    args.add(SubscriberCodec.encode(quota));
  }

  private static Future<PutSubscriber> otherQuota() {
    return Future.succeededFuture(PutSubscriber.OTHER_QUOTA);
  }

  private Future<Boolean> exists(int partition, String sid) {
    return lanes
        .lane()
        .send(Request.cmd(Command.EXISTS).arg(Keys.subscriber(partition, sid)))
        .map(found -> Reply.code(found) == 1);
  }

  @Override
  public Future<Optional<SubscriberView>> subscriber(String id) {
    String sid = Escaping.escape(id);
    return directory.at(
        sid,
        partition -> views(partition, List.of(sid)).map(found -> found.values().stream().findAny()),
        Optional::isEmpty);
  }

  @Override
  public Future<Optional<SubscriberSetup>> setup(String id, long sendWindowMs) {
    String sid = Escaping.escape(id);
    return directory.at(
        sid,
        partition ->
            scripts
                .run("setup", partition, List.<Object>of(sid, sendWindowMs))
                .map(found -> Optional.ofNullable(found).map(of -> setup(partition, of))),
        Optional::isEmpty);
  }

  private static SubscriberSetup setup(int partition, Response of) {
    Subscriber subscriber = SubscriberCodec.subscriber(of.get(0).toString());
    Quota quota = SubscriberCodec.quota(of.get(1).toString());
    return new SubscriberSetup(
        subscriber,
        quota,
        Reply.number(of.get(2)),
        partition,
        isStill(subscriber, quota) ? State.PAUSED : state(of.get(3).toString()),
        Long.parseLong(of.get(4).toString()));
  }

  @Override
  public Future<Page<SubscriberView>> subscribers(@Nullable String after, int limit) {
    return page(Keys::subscribers, after, limit, this::views);
  }

  private Future<Map<String, SubscriberView>> views(int partition, List<String> sids) {
    return scripts
        .run("view", partition, sids)
        .map(
            reply -> {
              Map<String, SubscriberView> views = new HashMap<>();
              for (int i = 0; i < sids.size(); i++) {
                Response found = reply.get(i);
                if (found != null) {
                  views.put(sids.get(i), view(partition, found));
                }
              }
              return views;
            });
  }

  private static SubscriberView view(int partition, Response of) {
    Subscriber subscriber = SubscriberCodec.subscriber(of.get(0).toString());
    Quota quota = SubscriberCodec.quota(of.get(1).toString());
    String reason = of.get(4).toString();
    State state = state(of.get(3).toString());
    if (state == State.ACTIVE && isStill(subscriber, quota)) {
      state = State.PAUSED;
      reason = RATE_ZERO;
    }
    return new SubscriberView(
        subscriber,
        quota,
        Reply.number(of.get(2)),
        partition,
        state,
        state == State.ACTIVE ? null : reason,
        new Counts(
            Reply.number(of.get(5)),
            Reply.number(of.get(6)),
            Reply.number(of.get(7)),
            Reply.number(of.get(8)),
            Reply.number(of.get(9)),
            Reply.number(of.get(10)),
            Reply.number(of.get(11)),
            Reply.number(of.get(12)),
            Reply.number(of.get(13)),
            Reply.number(of.get(14)),
            Reply.number(of.get(15))));
  }

  /** Rate zero of its own is as good as paused; that of a shared quota can change at any time. */
  private static boolean isStill(Subscriber subscriber, Quota quota) {
    return !subscriber.sharesQuota() && quota.rate().isZero();
  }

  private static State state(String stored) {
    return switch (stored) {
      case "p" -> State.PAUSED;
      case "d" -> State.DISABLED;
      default -> State.ACTIVE;
    };
  }

  @Override
  public Future<Boolean> pause(String id, String reason) {
    return setState(id, "p", reason);
  }

  @Override
  public Future<Boolean> resume(String id) {
    return setState(id, "a", "");
  }

  private Future<Boolean> setState(String id, String state, String reason) {
    String sid = Escaping.escape(id);
    return directory.at(
        sid,
        partition ->
            scripts
                .run("set_state", partition, List.of(sid, state, reason))
                .map(done -> Reply.code(done) == 1),
        done -> !done);
  }

  @Override
  public Future<Boolean> deleteSubscriber(String id) {
    String sid = Escaping.escape(id);
    return directory.at(sid, partition -> delete(partition, sid), existed -> !existed);
  }

  /** Marks it, so that nothing new comes, then purges step by step until nothing is left. */
  private Future<Boolean> delete(int partition, String sid) {
    return scripts
        .run("delete", partition, List.<Object>of(sid, 0L))
        .compose(
            reply ->
                Reply.code(reply) < 0
                    ? Future.succeededFuture(false)
                    : purgeAll(partition, sid).map(gone -> true));
  }

  private Future<Void> purgeAll(int partition, String sid) {
    return scripts
        .run("delete", partition, List.<Object>of(sid, (long) DELETE_STEP))
        .compose(left -> Reply.code(left) > 0 ? purgeAll(partition, sid) : directory.remove(sid));
  }

  @Override
  public Future<Integer> finishDeletes(int partition) {
    Request begun =
        Request.cmd(Command.ZRANGE).arg(Keys.deleting(partition)).arg(0).arg(DELETE_STEP - 1);
    return lanes
        .lane()
        .send(begun)
        .compose(
            sids -> {
              Future<Void> done = Future.succeededFuture();
              for (Response sid : sids) {
                done = done.compose(previous -> purgeAll(partition, sid.toString()));
              }
              return done.map(sids.size());
            });
  }

  // Quotas

  @Override
  public Future<PutQuota> putQuota(Quota quota) {
    String qid = Escaping.escape(quota.id());
    List<Object> args = new ArrayList<>();
    args.add(qid);
    appendQuota(args, quota);
    return scripts
        .run("put_quota", partitions.ofEscaped(qid), args)
        .map(reply -> PutQuota.values()[Reply.code(reply)]);
  }

  @Override
  public Future<Optional<QuotaView>> quota(String id) {
    String qid = Escaping.escape(id);
    return quotaViews(partitions.ofEscaped(qid), List.of(qid))
        .map(found -> found.values().stream().findAny());
  }

  @Override
  public Future<Page<QuotaView>> quotas(@Nullable String after, int limit) {
    return page(Keys::quotas, after, limit, this::quotaViews);
  }

  private Future<Map<String, QuotaView>> quotaViews(int partition, List<String> qids) {
    return scripts
        .run("quota", partition, qids)
        .map(
            reply -> {
              Map<String, QuotaView> views = new HashMap<>();
              for (int i = 0; i < qids.size(); i++) {
                Response found = reply.get(i);
                if (found != null) {
                  views.put(qids.get(i), quotaView(found));
                }
              }
              return views;
            });
  }

  private static QuotaView quotaView(Response of) {
    List<String> holders = new ArrayList<>();
    for (int i = 3; i < of.size(); i++) {
      holders.add(Escaping.unescape(of.get(i).toString()));
    }
    return new QuotaView(
        SubscriberCodec.quota(of.get(0).toString()), Reply.number(of.get(1)), holders);
  }

  @Override
  public Future<DeleteQuota> deleteQuota(String id) {
    String qid = Escaping.escape(id);
    return scripts
        .run("delete_quota", partitions.ofEscaped(qid), List.of(qid))
        .map(reply -> DeleteQuota.values()[Reply.code(reply)]);
  }

  @Override
  public Future<Long> level(String quotaId, long sendWindowMs) {
    String qid = Escaping.escape(quotaId);
    return scripts
        .run("level", partitions.ofEscaped(qid), List.<Object>of(qid, sendWindowMs))
        .map(reply -> Long.parseLong(reply.toString()));
  }

  @Override
  public Future<Boolean> openGate(String quotaId) {
    String qid = Escaping.escape(quotaId);
    return scripts
        .run("open_gate", partitions.ofEscaped(qid), List.of(qid))
        .map(reply -> Reply.code(reply) == 1);
  }

  // Pages over all partitions

  /** Reads views of one partition by escaped id. */
  private interface Views<T> {
    Future<Map<String, T>> read(int partition, List<String> ids);
  }

  /** Names a partition's line of escaped ids. */
  private interface Line {
    String key(int partition);
  }

  /** One short read per partition, in byte order of the escaped ids; the cursor is such an id. */
  private <T> Future<Page<T>> page(Line line, @Nullable String after, int limit, Views<T> views) {
    return partitions
        .each(
            partition ->
                lanes
                    .lane()
                    .send(
                        Request.cmd(Command.ZRANGEBYLEX)
                            .arg(line.key(partition))
                            .arg(after == null ? "-" : "(" + after)
                            .arg("+")
                            .arg("LIMIT")
                            .arg(0)
                            .arg(limit + 1)))
        .compose(heads -> page(heads, limit, views));
  }

  private <T> Future<Page<T>> page(List<Response> heads, int limit, Views<T> views) {
    TreeMap<String, Integer> found = new TreeMap<>();
    for (int partition = 0; partition < heads.size(); partition++) {
      for (Response id : heads.get(partition)) {
        found.put(id.toString(), partition);
      }
    }
    List<String> ids = found.keySet().stream().limit(limit).toList();
    Map<Integer, List<String>> byPartition = new HashMap<>();
    for (String id : ids) {
      byPartition.computeIfAbsent(partitionOf(found, id), missing -> new ArrayList<>()).add(id);
    }
    List<Future<Map<String, T>>> reads = new ArrayList<>();
    byPartition.forEach((partition, members) -> reads.add(views.read(partition, members)));
    String next = found.size() > ids.size() && !ids.isEmpty() ? ids.get(ids.size() - 1) : null;
    return Future.all(reads)
        .map(
            all -> {
              Map<String, T> byId = new HashMap<>();
              all.<Map<String, T>>list().forEach(byId::putAll);
              List<T> items = new ArrayList<>();
              for (String id : ids) {
                T view = byId.get(id);
                if (view != null) {
                  items.add(view);
                }
              }
              return new Page<>(items, next);
            });
  }

  private static int partitionOf(Map<String, Integer> found, String id) {
    Integer partition = found.get(id);
    if (partition == null) {
      throw new IllegalStateException("no partition for " + id);
    }
    return partition;
  }
}
