package dev.weir.testkit.store;

import dev.weir.domain.message.DeliveryId;
import dev.weir.domain.message.MessageId;
import dev.weir.domain.quota.Quota;
import dev.weir.domain.subscriber.Subscriber;
import dev.weir.protocol.store.ClaimId;
import dev.weir.protocol.store.ConfigStore;
import dev.weir.protocol.store.ConfigStore.Page;
import dev.weir.protocol.store.DeliveryStore;
import dev.weir.protocol.store.InspectionStore;
import dev.weir.protocol.store.PublishStore;
import dev.weir.protocol.store.Store;
import dev.weir.protocol.store.StoreException;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.IntPredicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Any store, with faults on demand. A fault names a port method ({@code "settle"}, {@code "claim"},
 * {@code "publish"} …; {@value #ANY} for all) and which of its calls it strikes, counted from 1
 * since the fault was made:
 *
 * <pre>{@code
 * faulty.on("settle").nth(3).loseReply();
 * Hold claims = faulty.on("claim").always().hold();
 * faulty.on(FaultyStore.ANY).always().fail(Kind.UNAVAILABLE);   // Redis is gone
 * faulty.heal();                                                // and back
 * }</pre>
 *
 * The newest fault that matches a call strikes it. Any thread may call this store and its faults.
 */
public final class FaultyStore implements Store {

  public static final String ANY = "*";

  private final Store real;
  private final List<Fault> faults = new ArrayList<>();
  private final Map<String, Integer> calls = new HashMap<>();
  private @Nullable String unready;

  public FaultyStore(Store real) {
    this.real = real;
  }

  /** Begins a fault of a port method. */
  public Strike on(String method) {
    return new Strike(method);
  }

  /** Ends all faults. What is held stays held until its {@link Hold} is released. */
  public synchronized void heal() {
    faults.clear();
    unready = null;
  }

  /** How often a port method was called, struck or not. */
  public synchronized int calls(String method) {
    return calls.getOrDefault(method, 0);
  }

  /** From now on {@link #health()} says this. */
  public synchronized void unready(String reason) {
    unready = reason;
  }

  @Override
  public synchronized Health health() {
    return unready == null ? real.health() : new Health(false, unready);
  }

  @Override
  public DeliveryStore deliveries() {
    return new Deliveries();
  }

  @Override
  public PublishStore publishes() {
    return new Publishes();
  }

  @Override
  public ConfigStore config() {
    return new Config();
  }

  @Override
  public InspectionStore inspection() {
    return new Inspection();
  }

  /** What a fault does to the calls it strikes. */
  private interface Effect {
    <T> Future<T> strike(String method, Supplier<Future<T>> call);
  }

  /**
   * @param before calls of each method when this fault was made; it counts from there
   */
  private record Fault(
      String method, Map<String, Integer> before, IntPredicate which, Effect effect) {

    boolean strikes(String called, int count) {
      return (method.equals(ANY) || method.equals(called))
          && which.test(count - before.getOrDefault(called, 0));
    }
  }

  /** Which calls of a method. */
  public final class Strike {

    private final String method;

    private Strike(String method) {
      this.method = method;
    }

    /** Only the n-th call from now on, from 1. */
    public Which nth(int n) {
      return from(count -> count == n);
    }

    /** The next {@code n} calls. */
    public Which next(int n) {
      return from(count -> count <= n);
    }

    public Which always() {
      return from(count -> true);
    }

    /**
     * Calls by their number from now on, from 1. With {@link #ANY} the calls of each method are
     * counted apart.
     */
    public Which from(IntPredicate which) {
      return new Which(method, which);
    }
  }

  /** What happens to them. */
  public final class Which {

    private final String method;
    private final IntPredicate which;

    private Which(String method, IntPredicate which) {
      this.method = method;
      this.which = which;
    }

    /** It doesn't happen, and fails. */
    public void fail(StoreException.Kind kind) {
      add(
          new Effect() {
            @Override
            public <T> Future<T> strike(String name, Supplier<Future<T>> call) {
              return Future.failedFuture(
                  new StoreException(kind, name, "failed by the test", null));
            }
          });
    }

    /** It happens, but the caller only learns that nobody knows. */
    public void loseReply() {
      add(
          new Effect() {
            @Override
            public <T> Future<T> strike(String name, Supplier<Future<T>> call) {
              return call.get()
                  .transform(
                      done ->
                          Future.failedFuture(
                              new StoreException(
                                  StoreException.Kind.UNAVAILABLE,
                                  name,
                                  "reply lost by the test",
                                  null)));
            }
          });
    }

    /** It waits before it happens, until released. */
    public Hold hold() {
      Hold hold = new Hold();
      add(
          new Effect() {
            @Override
            public <T> Future<T> strike(String name, Supplier<Future<T>> call) {
              return hold.arrive().compose(released -> call.get());
            }
          });
      return hold;
    }

    /** It happens at once, and its reply waits until released. */
    public Hold holdReply() {
      Hold hold = new Hold();
      add(
          new Effect() {
            @Override
            public <T> Future<T> strike(String name, Supplier<Future<T>> call) {
              Future<T> reply = call.get();
              return hold.arrive().compose(released -> reply);
            }
          });
      return hold;
    }

    private void add(Effect effect) {
      synchronized (FaultyStore.this) {
        faults.add(0, new Fault(method, Map.copyOf(calls), which, effect));
      }
    }
  }

  /** Calls that wait. */
  public static final class Hold {

    private final Promise<Void> reached = Promise.promise();
    private final Promise<Void> released = Promise.promise();

    /** Completes on the caller's context, whoever releases. */
    private Future<Void> arrive() {
      reached.tryComplete();
      Context context = Vertx.currentContext();
      if (context == null) {
        return released.future();
      }
      Promise<Void> here = Promise.promise();
      released.future().onComplete(done -> context.runOnContext(turn -> here.complete()));
      return here.future();
    }

    /** Completes when the first call has arrived here. */
    public Future<Void> reached() {
      return reached.future();
    }

    /** Lets go of all calls, those to come included. */
    public void release() {
      released.tryComplete();
    }
  }

  private <T> Future<T> through(String method, Supplier<Future<T>> call) {
    Optional<Effect> effect = arrive(method);
    return effect.isPresent() ? effect.get().strike(method, call) : call.get();
  }

  private synchronized Optional<Effect> arrive(String method) {
    int count = calls.merge(method, 1, Integer::sum);
    return faults.stream()
        .filter(fault -> fault.strikes(method, count))
        .map(Fault::effect)
        .findFirst();
  }

  private final class Deliveries implements DeliveryStore {

    @Override
    public int partitions() {
      return real.deliveries().partitions();
    }

    @Override
    public Future<Long> beginEpoch() {
      return through("beginEpoch", () -> real.deliveries().beginEpoch());
    }

    @Override
    public Future<List<ClaimReply>> claim(
        int partition, ClaimId claim, List<ClaimRequest> requests, int maxBytes) {
      return through("claim", () -> real.deliveries().claim(partition, claim, requests, maxBytes));
    }

    @Override
    public Future<List<SettleReply>> settle(int partition, List<Settlement> settlements) {
      return through("settle", () -> real.deliveries().settle(partition, settlements));
    }

    @Override
    public Future<Void> release(int partition, ClaimId claim, List<Claimed> unstarted) {
      return through("release", () -> real.deliveries().release(partition, claim, unstarted));
    }

    @Override
    public Future<Integer> recover(int partition, long epoch, int limit) {
      return through("recover", () -> real.deliveries().recover(partition, epoch, limit));
    }

    @Override
    public Future<Sweep> sweep(int partition, int limit) {
      return through("sweep", () -> real.deliveries().sweep(partition, limit));
    }

    @Override
    public Future<Integer> purgeDeadLetters(int partition, long olderThanMs, int limit) {
      return through(
          "purgeDeadLetters",
          () -> real.deliveries().purgeDeadLetters(partition, olderThanMs, limit));
    }
  }

  private final class Publishes implements PublishStore {

    @Override
    public Future<Binding> bind(String idempotencyKey, String requestHash, MessageId proposed) {
      return through("bind", () -> real.publishes().bind(idempotencyKey, requestHash, proposed));
    }

    @Override
    public Future<Void> answered(String idempotencyKey, String requestHash) {
      return through("answered", () -> real.publishes().answered(idempotencyKey, requestHash));
    }

    @Override
    public Future<Published> publish(Publication publication) {
      return through("publish", () -> real.publishes().publish(publication));
    }

    @Override
    public Future<List<OpenIntent>> openIntents(int partition, long olderThanMs, int limit) {
      return through(
          "openIntents", () -> real.publishes().openIntents(partition, olderThanMs, limit));
    }

    @Override
    public Future<Published> resume(OpenIntent intent) {
      // Not "resume", which is the subscriber's.
      return through("resumeIntent", () -> real.publishes().resume(intent));
    }
  }

  private final class Config implements ConfigStore {

    @Override
    public Future<PutSubscriber> putSubscriber(Subscriber subscriber, @Nullable Quota own) {
      return through("putSubscriber", () -> real.config().putSubscriber(subscriber, own));
    }

    @Override
    public Future<Optional<SubscriberView>> subscriber(String id) {
      return through("subscriber", () -> real.config().subscriber(id));
    }

    @Override
    public Future<Optional<SubscriberSetup>> setup(String id, long sendWindowMs) {
      return through("setup", () -> real.config().setup(id, sendWindowMs));
    }

    @Override
    public Future<Page<SubscriberView>> subscribers(@Nullable String after, int limit) {
      return through("subscribers", () -> real.config().subscribers(after, limit));
    }

    @Override
    public Future<Boolean> deleteSubscriber(String id) {
      return through("deleteSubscriber", () -> real.config().deleteSubscriber(id));
    }

    @Override
    public Future<Integer> finishDeletes(int partition) {
      return through("finishDeletes", () -> real.config().finishDeletes(partition));
    }

    @Override
    public Future<Boolean> pause(String id, String reason) {
      return through("pause", () -> real.config().pause(id, reason));
    }

    @Override
    public Future<Boolean> resume(String id) {
      return through("resume", () -> real.config().resume(id));
    }

    @Override
    public Future<PutQuota> putQuota(Quota quota) {
      return through("putQuota", () -> real.config().putQuota(quota));
    }

    @Override
    public Future<Optional<QuotaView>> quota(String id) {
      return through("quota", () -> real.config().quota(id));
    }

    @Override
    public Future<Page<QuotaView>> quotas(@Nullable String after, int limit) {
      return through("quotas", () -> real.config().quotas(after, limit));
    }

    @Override
    public Future<DeleteQuota> deleteQuota(String id) {
      return through("deleteQuota", () -> real.config().deleteQuota(id));
    }

    @Override
    public Future<Long> level(String quotaId, long sendWindowMs) {
      return through("level", () -> real.config().level(quotaId, sendWindowMs));
    }

    @Override
    public Future<Boolean> openGate(String quotaId) {
      return through("openGate", () -> real.config().openGate(quotaId));
    }
  }

  private final class Inspection implements InspectionStore {

    @Override
    public Future<List<DeliveryState>> message(MessageId message) {
      return through("message", () -> real.inspection().message(message));
    }

    @Override
    public Future<Optional<DeliveryView>> delivery(DeliveryId id) {
      return through("delivery", () -> real.inspection().delivery(id));
    }

    @Override
    public Future<Page<Stopped>> deadLetters(
        @Nullable String subscriber, @Nullable String after, int limit) {
      return through("deadLetters", () -> real.inspection().deadLetters(subscriber, after, limit));
    }

    @Override
    public Future<Page<Stopped>> reconciliation(
        @Nullable String subscriber, @Nullable String after, int limit) {
      return through(
          "reconciliation", () -> real.inspection().reconciliation(subscriber, after, limit));
    }

    @Override
    public Future<Change> redrive(DeliveryId id) {
      return through("redrive", () -> real.inspection().redrive(id));
    }

    @Override
    public Future<Change> cancel(DeliveryId id) {
      return through("cancel", () -> real.inspection().cancel(id));
    }

    @Override
    public Future<Change> reschedule(DeliveryId id, long atMs) {
      return through("reschedule", () -> real.inspection().reschedule(id, atMs));
    }

    @Override
    public Future<Totals> totals() {
      return through("totals", () -> real.inspection().totals());
    }

    @Override
    public Future<Balance> balance() {
      return through("balance", () -> real.inspection().balance());
    }
  }
}
