package dev.weir.testkit.store;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.domain.message.DeliveryId;
import dev.weir.domain.message.Envelope;
import dev.weir.domain.message.MessageId;
import dev.weir.domain.outcome.Outcome;
import dev.weir.domain.outcome.Outcome.Budget;
import dev.weir.domain.quota.Quota;
import dev.weir.domain.subscriber.Subscriber;
import dev.weir.domain.subscriber.Subscriber.OnAmbiguous;
import dev.weir.protocol.store.ClaimId;
import dev.weir.protocol.store.ConfigStore.Counts;
import dev.weir.protocol.store.ConfigStore.SubscriberView;
import dev.weir.protocol.store.DeliveryStore.ClaimReply;
import dev.weir.protocol.store.DeliveryStore.ClaimRequest;
import dev.weir.protocol.store.DeliveryStore.Claimed;
import dev.weir.protocol.store.DeliveryStore.Due;
import dev.weir.protocol.store.DeliveryStore.SettleReply;
import dev.weir.protocol.store.DeliveryStore.Settlement;
import dev.weir.protocol.store.InspectionStore.Balance;
import dev.weir.protocol.store.InspectionStore.Change;
import dev.weir.protocol.store.InspectionStore.DeliveryView;
import dev.weir.protocol.store.InspectionStore.State;
import dev.weir.protocol.store.InspectionStore.Stopped;
import dev.weir.protocol.store.InspectionStore.Totals;
import dev.weir.protocol.store.PublishStore.Publication;
import dev.weir.protocol.store.PublishStore.Published;
import dev.weir.protocol.store.PublishStore.Published.Conflict;
import dev.weir.protocol.store.Store;
import dev.weir.testkit.store.StoreContract.Harness;
import dev.weir.testkit.time.SettableClock;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Runs one random sequence on the store under test and on {@link InMemoryStore}, and compares every
 * reply, and from time to time every state. Some calls are made twice on the store under test, as
 * after a lost reply: the state must be that of one.
 *
 * <p>The model's clock stands still, so nothing here may depend on time that passes while it runs:
 * delays are 0 or an hour, every message has a deadline of its own that decides its rank, and paced
 * quotas gain a token an hour.
 */
final class ModelRun {

  private static final List<String> SUBSCRIBERS =
      List.of("plain", "held", "capped", "paced", "of account", "of:account");
  private static final String ACCOUNT = "account";
  private static final int MESSAGES = 80;
  private static final int CHECK_EVERY = 40;

  private final StoreBench bench;
  private final Store real;
  private final InMemoryStore model;
  private final Random random;
  private final long seed;
  private final long startMs;
  private final Map<String, Integer> partitions = new HashMap<>();
  private final List<Pair> claims = new ArrayList<>();
  private final Set<DeliveryId> burned = new HashSet<>();
  private final Deque<String> log = new ArrayDeque<>();
  private long modelEpoch;
  private long nonce;

  ModelRun(StoreBench bench, long seed) {
    this.bench = bench;
    this.real = bench.store();
    this.seed = seed;
    this.random = new Random(seed);
    this.startMs = bench.nowMs();
    this.model =
        new InMemoryStore(
            new SettableClock(Instant.ofEpochMilli(startMs)),
            real.deliveries().partitions(),
            quota -> partitions.getOrDefault(quota, 0));
    this.modelEpoch = Harness.await(model.deliveries().beginEpoch());
  }

  /** One claimed delivery as both stores gave it. */
  private record Pair(Claimed real, Claimed model) {
    String subscriber() {
      return real.id().subscriber();
    }
  }

  /** Both answers to one call. */
  private record Both<T>(T real, T model) {}

  void run(int steps) {
    SUBSCRIBERS.forEach(this::create);
    for (int i = 1; i <= steps; i++) {
      step();
      if (i % CHECK_EVERY == 0) {
        compareStates();
      }
    }
    compareStates();
    bench.balance();
  }

  private void step() {
    int dice = random.nextInt(100);
    if (dice < 25) {
      publish();
    } else if (dice < 50) {
      claim();
    } else if (dice < 78) {
      settle();
    } else if (dice < 83) {
      release();
    } else if (dice < 91) {
      intervene();
    } else if (dice < 95) {
      pauseOrResume();
    } else if (dice < 97) {
      changeQuota();
    } else if (dice < 98) {
      recover();
    } else if (dice < 99) {
      purge();
    } else {
      deleteAndCreate();
    }
  }

  // Calls on both

  private <T> Both<T> both(String what, Function<Store, Future<T>> call) {
    log.add(what);
    if (log.size() > 12) {
      log.removeFirst();
    }
    T ofReal = bench.call(() -> call.apply(real));
    T ofModel = Harness.await(call.apply(model));
    return new Both<>(ofReal, ofModel);
  }

  private <T> void same(String what, Function<Store, Future<T>> call) {
    Both<T> both = both(what, call);
    assertThat(both.real).as(context()).isEqualTo(both.model);
  }

  /** As {@link #same}; now and then made once more, as after a lost reply. */
  private <T> void sameThoughRepeated(String what, Function<Store, Future<T>> call) {
    same(what, call);
    if (random.nextInt(5) == 0) {
      log.add("… again");
      bench.call(() -> call.apply(real));
    }
  }

  private String context() {
    return "seed " + seed + ", after\n  " + String.join("\n  ", log) + "\n";
  }

  private <T> T anyOf(List<T> items) {
    return items.get(random.nextInt(items.size()));
  }

  // Steps

  private void create(String id) {
    boolean shares = id.startsWith("of");
    Subscriber subscriber = StoreBench.subscriber(id);
    if (shares) {
      subscriber = StoreBench.sharing(subscriber, ACCOUNT);
      if (!partitions.containsKey(ACCOUNT)) {
        putAccount(60);
      }
    } else if (id.equals("capped")) {
      subscriber = StoreBench.withCap(subscriber, 2);
    } else if (id.equals("held")) {
      subscriber = holding(subscriber);
    }
    Quota own = shares ? null : StoreBench.quota(id, id.equals("paced") ? "1/h" : "unlimited", 30);
    put(subscriber, own);
  }

  private static Subscriber holding(Subscriber from) {
    return new Subscriber(
        from.id(),
        from.endpoint(),
        from.method(),
        from.quotaId(),
        from.maxInFlight(),
        from.timeout(),
        from.retry(),
        from.statusPolicy(),
        OnAmbiguous.HOLD,
        from.objective(),
        from.headers(),
        from.stampAttempts());
  }

  /** The store under test first: it says where things live. */
  private void put(Subscriber subscriber, @Nullable Quota own) {
    bench.put(subscriber, own);
    partitions.put(subscriber.quotaId(), bench.partition(subscriber.id()));
    Harness.await(model.config().putSubscriber(subscriber, own));
  }

  private void putAccount(int burst) {
    Quota account = StoreBench.quota(ACCOUNT, "1/h", burst);
    if (!partitions.containsKey(ACCOUNT)) {
      // The partition of a quota shows only through its subscribers, so one is made and deleted.
      bench.call(() -> real.config().putQuota(account));
      bench.put(StoreBench.sharing(StoreBench.subscriber("scout"), ACCOUNT), null);
      partitions.put(ACCOUNT, bench.partition("scout"));
      bench.call(() -> real.config().deleteSubscriber("scout"));
    } else {
      bench.call(() -> real.config().putQuota(account));
    }
    Harness.await(model.config().putQuota(account));
  }

  private void publish() {
    int number = random.nextInt(MESSAGES);
    MessageId message = number % 3 == 0 ? MessageId.of("m:" + number, number) : plain(number);
    List<String> targets = targets(message);
    if (targets.isEmpty()) {
      return;
    }
    Buffer body = random.nextInt(20) == 0 ? Buffer.buffer("another") : StoreBench.body(message);
    // A deadline of its own makes each rank unlike all others, in both stores alike.
    Envelope envelope = StoreBench.envelope(startMs + 600_000 + number);
    Publication publication =
        new Publication(
            message,
            envelope,
            body,
            targets,
            Envelope.NONE,
            random.nextInt(8) == 0 ? StoreBench.HOUR_MS : 0);
    Both<Published> both =
        both(
            "publish " + message.key() + " to " + targets,
            on -> on.publishes().publish(publication));
    if (!(both.real instanceof Conflict && both.model instanceof Conflict)) {
      assertThat(both.real).as(context()).isEqualTo(both.model);
    }
    if (random.nextInt(5) == 0) {
      bench.publish(publication);
    }
  }

  private static MessageId plain(int number) {
    return MessageId.of("m" + number);
  }

  private List<String> targets(MessageId message) {
    List<String> targets = new ArrayList<>();
    for (String subscriber : SUBSCRIBERS) {
      if (random.nextInt(3) == 0 && !burned.contains(new DeliveryId(message, subscriber))) {
        targets.add(subscriber);
      }
    }
    if (random.nextInt(30) == 0) {
      targets.add("nobody");
    }
    return targets;
  }

  private void claim() {
    String subscriber = anyOf(SUBSCRIBERS);
    int count = 1 + random.nextInt(4);
    nonce++;
    ClaimId ofReal = new ClaimId(bench.epoch(), "random", nonce);
    ClaimId ofModel = new ClaimId(modelEpoch, "random", nonce);
    Both<ClaimReply> both =
        both(
            "claim " + count + " of " + subscriber,
            on ->
                on.deliveries()
                    .claim(
                        partition(subscriber),
                        on == real ? ofReal : ofModel,
                        List.of(new ClaimRequest(subscriber, count)),
                        StoreBench.MIB)
                    .map(replies -> replies.get(0)));
    assertThat(both.real.deliveries().stream().map(ModelRun::essence).toList())
        .as(context())
        .isEqualTo(both.model.deliveries().stream().map(ModelRun::essence).toList());
    assertThat(both.real.limit()).as(context()).isEqualTo(both.model.limit());
    for (int i = 0; i < both.real.deliveries().size(); i++) {
      claims.add(new Pair(both.real.deliveries().get(i), both.model.deliveries().get(i)));
    }
  }

  private int partition(String subscriber) {
    return partitions.getOrDefault(subscriber.startsWith("of") ? ACCOUNT : subscriber, 0);
  }

  /** Of a claim, what does not depend on the clock or on how a store numbers. */
  private static List<Object> essence(Claimed claimed) {
    return List.of(
        claimed.id(),
        claimed.attempt(),
        claimed.failures(),
        claimed.rateLimits(),
        claimed.redrives(),
        claimed.probe(),
        claimed.envelope(),
        claimed.body());
  }

  private void settle() {
    if (claims.isEmpty()) {
      return;
    }
    // Mostly recent ones; the older ones have been settled, released, recovered or superseded.
    int back = Math.min(claims.size(), random.nextInt(3) == 0 ? 40 : 6);
    Pair pair = claims.get(claims.size() - 1 - random.nextInt(back));
    Outcome outcome = outcome();
    sameThoughRepeated(
        "settle " + pair.real.id() + " of " + pair.real.claim() + " as " + outcome,
        on ->
            on.deliveries()
                .settle(
                    partition(pair.subscriber()),
                    List.of(settlement(on == real ? pair.real : pair.model, outcome)))
                .map(replies -> replies.get(0))
                .map(SettleReply::settled));
  }

  private static Settlement settlement(Claimed claimed, Outcome outcome) {
    return new Settlement(
        claimed.id(), claimed.sequence(), claimed.claim(), outcome, "{\"a\":1}", true);
  }

  private Outcome outcome() {
    int dice = random.nextInt(20);
    if (dice < 8) {
      return StoreBench.delivered();
    } else if (dice < 12) {
      return StoreBench.retry(random.nextInt(4) == 0 ? StoreBench.HOUR_MS : 0);
    } else if (dice < 14) {
      Budget budget = random.nextBoolean() ? Budget.RATE_LIMIT : Budget.NONE;
      return StoreBench.retry(0, budget, Outcome.Retry.NO_GATE);
    } else if (dice < 17) {
      return new Outcome.Dead("404", random.nextInt(10) == 0);
    } else if (dice < 18) {
      return new Outcome.Retry(0, "401", Budget.FAILURE, Outcome.Retry.NO_GATE, false, true);
    }
    return StoreBench.reconcile("beyond seven days", 700_000_000 + random.nextInt(9));
  }

  private void release() {
    if (claims.isEmpty()) {
      return;
    }
    Pair pair = claims.get(Math.max(0, claims.size() - 1 - random.nextInt(10)));
    if (isPaced(pair.subscriber())) {
      // A refund is less what accrued since the claim: two stores that take different times over
      // the same calls may come to differ by a token. The quota's chapter tests refunds singly.
      return;
    }
    sameThoughRepeated(
        "release " + pair.real.id() + " of " + pair.real.claim(),
        on -> {
          Claimed claimed = on == real ? pair.real : pair.model;
          return on.deliveries()
              .release(partition(pair.subscriber()), claimed.claim(), List.of(claimed));
        });
  }

  private static boolean isPaced(String subscriber) {
    return subscriber.startsWith("of") || subscriber.equals("paced");
  }

  private void intervene() {
    DeliveryId id = new DeliveryId(anyMessage(), anyOf(SUBSCRIBERS));
    int dice = random.nextInt(4);
    if (dice == 0 && random.nextInt(3) == 0) {
      cancel(id);
    } else if (dice == 1) {
      long atMs = startMs + StoreBench.HOUR_MS;
      sameThoughRepeated("reschedule " + id, on -> on.inspection().reschedule(id, atMs));
    } else {
      sameThoughRepeated("redrive " + id, on -> on.inspection().redrive(id));
    }
  }

  private MessageId anyMessage() {
    int number = random.nextInt(MESSAGES);
    return number % 3 == 0 ? MessageId.of("m:" + number, number) : plain(number);
  }

  /** Cancelling the cancelled may answer either way; the state is what counts. */
  private void cancel(DeliveryId id) {
    Both<Change> both = both("cancel " + id, on -> on.inspection().cancel(id));
    boolean repeat =
        both.model != both.real
            && Set.of(both.model, both.real).equals(Set.of(Change.CHANGED, Change.WRONG_STATE));
    if (!repeat) {
      assertThat(both.real).as(context()).isEqualTo(both.model);
    }
  }

  private void pauseOrResume() {
    String id = anyOf(SUBSCRIBERS);
    if (random.nextInt(3) == 0) {
      sameThoughRepeated("pause " + id, on -> on.config().pause(id, "by hand"));
    } else {
      sameThoughRepeated("resume " + id, on -> on.config().resume(id));
    }
  }

  private void changeQuota() {
    int burst = 5 + random.nextInt(60);
    log.add("quotas now of burst " + burst);
    if (random.nextBoolean()) {
      putAccount(burst);
    } else {
      put(StoreBench.subscriber("paced"), StoreBench.quota("paced", "1/h", burst));
    }
  }

  private void recover() {
    bench.beginEpoch();
    modelEpoch = Harness.await(model.deliveries().beginEpoch());
    for (int partition : Set.copyOf(partitions.values())) {
      same(
          "recover " + partition,
          on -> on.deliveries().recover(partition, on == real ? bench.epoch() : modelEpoch, 1_000));
    }
  }

  private void purge() {
    for (int partition : Set.copyOf(partitions.values())) {
      same("purge " + partition, on -> on.deliveries().purgeDeadLetters(partition, 0, 1_000));
    }
  }

  /**
   * What a deleted subscriber had is burned: the ledger keeps its pairs, nothing is said of them.
   */
  private void deleteAndCreate() {
    String id = anyOf(SUBSCRIBERS);
    sameThoughRepeated("delete " + id, on -> on.config().deleteSubscriber(id));
    claims.removeIf(pair -> pair.subscriber().equals(id));
    for (int number = 0; number < MESSAGES; number++) {
      burned.add(new DeliveryId(plain(number), id));
      burned.add(new DeliveryId(MessageId.of("m:" + number, number), id));
    }
    create(id);
  }

  // Comparison

  private void compareStates() {
    for (String id : SUBSCRIBERS) {
      same(
          "state of " + id, on -> on.config().subscriber(id).map(view -> view.map(v -> v.state())));
      same("reason of " + id, on -> on.config().subscriber(id).map(this::reason));
      same(
          "counts of " + id,
          on -> on.config().subscriber(id).map(view -> view.map(v -> sizes(v.counts()))));
      same(
          "dead letters of " + id,
          on -> on.inspection().deadLetters(id, null, 100).map(page -> stopped(page.items())));
      same(
          "reconciliation of " + id,
          on -> on.inspection().reconciliation(id, null, 100).map(page -> stopped(page.items())));
      for (int number = 0; number < MESSAGES; number++) {
        MessageId message = number % 3 == 0 ? MessageId.of("m:" + number, number) : plain(number);
        DeliveryId delivery = new DeliveryId(message, id);
        if (!burned.contains(delivery)) {
          same(
              "look at " + delivery,
              on -> on.inspection().delivery(delivery).map(ModelRun::essence));
        }
      }
    }
    for (int partition : Set.copyOf(partitions.values())) {
      same(
          "sweep of " + partition,
          on ->
              on.deliveries()
                  .sweep(partition, 100)
                  .map(sweep -> Set.copyOf(sweep.due().stream().map(Due::subscriber).toList())));
    }
    compareLevels();
    same("balance", on -> on.inspection().balance().map(ModelRun::sides));
    same("totals", on -> on.inspection().totals().map(ModelRun::sums));
  }

  private Optional<String> reason(Optional<SubscriberView> view) {
    return view.map(present -> String.valueOf(present.reason()));
  }

  private static List<Long> sizes(Counts counts) {
    return List.of(
        counts.ready(),
        counts.delayed(),
        counts.inFlight(),
        counts.dead(),
        counts.reconciling(),
        counts.accepted(),
        counts.delivered(),
        counts.cancelled(),
        counts.purged());
  }

  private static Set<List<Object>> stopped(List<Stopped> items) {
    Set<List<Object>> all = new HashSet<>();
    for (Stopped item : items) {
      all.add(
          List.of(item.id(), item.attempts(), item.reason(), item.askedDelayMs(), item.redrives()));
    }
    assertThat(all).hasSameSizeAs(items);
    return all;
  }

  private static Optional<List<Object>> essence(Optional<DeliveryView> view) {
    return view.map(
        present ->
            List.of(
                present.delivery().id(),
                present.delivery().state(),
                present.delivery().attempts(),
                isPending(present.delivery().state()) ? present.redrives() : "any"));
  }

  private static boolean isPending(State state) {
    return state == State.SCHEDULED
        || state == State.READY
        || state == State.ATTEMPTING
        || state == State.RETRY_SCHEDULED;
  }

  private void compareLevels() {
    for (String quota : List.of("paced", ACCOUNT)) {
      Both<Long> both = both("level of " + quota, on -> on.config().level(quota, 0));
      assertThat(Math.abs(both.real - both.model))
          .as("%s%d against %d", context(), both.real, both.model)
          .isLessThan(StoreBench.TOKEN / 10);
    }
  }

  private static List<Object> sides(Balance balance) {
    return List.of(
        balance.dead(),
        balance.reconciling(),
        balance.pending(),
        balance.bodies(),
        balance.problems());
  }

  private static List<Long> sums(Totals totals) {
    return List.of(
        totals.accepted(),
        totals.delivered(),
        totals.cancelled(),
        totals.purged(),
        totals.ready(),
        totals.delayed(),
        totals.inFlight(),
        totals.dead(),
        totals.reconciling(),
        totals.subscribers());
  }
}
