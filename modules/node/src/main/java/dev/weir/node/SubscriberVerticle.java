package dev.weir.node;

import dev.weir.domain.outcome.Answer;
import dev.weir.domain.outcome.AttemptFacts;
import dev.weir.domain.outcome.Decision;
import dev.weir.domain.outcome.Outcome;
import dev.weir.domain.quota.Quota;
import dev.weir.domain.quota.TokenBucket;
import dev.weir.domain.subscriber.Subscriber;
import dev.weir.node.Checkpoints.Checkpoint;
import dev.weir.node.attempt.AttemptTrace;
import dev.weir.node.attempt.Exchange;
import dev.weir.node.attempt.RequestPlan;
import dev.weir.protocol.bus.Addresses;
import dev.weir.protocol.bus.DispatcherProtocol;
import dev.weir.protocol.bus.RetryProtocol;
import dev.weir.protocol.bus.SubscriberProtocol;
import dev.weir.protocol.bus.SubscriberProtocol.Changed;
import dev.weir.protocol.bus.SubscriberProtocol.Drain;
import dev.weir.protocol.bus.SubscriberProtocol.Given;
import dev.weir.protocol.bus.SubscriberProtocol.Item;
import dev.weir.protocol.bus.SubscriberProtocol.Released;
import dev.weir.protocol.bus.SubscriberProtocol.Settled;
import dev.weir.protocol.bus.SubscriberProtocol.Wake;
import dev.weir.protocol.bus.SubscriberProtocol.Work;
import dev.weir.protocol.store.ClaimId;
import dev.weir.protocol.store.ConfigStore.SubscriberSetup;
import dev.weir.protocol.store.DeliveryStore.ClaimReply;
import dev.weir.protocol.store.DeliveryStore.Claimed;
import dev.weir.protocol.store.DeliveryStore.Settlement;
import io.vertx.core.AsyncResult;
import io.vertx.core.Future;
import io.vertx.core.VerticleBase;
import io.vertx.core.eventbus.Message;
import io.vertx.core.http.HttpClientAgent;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Paces one subscriber and makes its HTTP calls. It owns the token bucket, the in-flight window and
 * the local view of the gate; every field is touched only on its own context.
 *
 * <p>Each event ends in one turn: write what holds a connection and gets a token, ask for what can
 * be started soon, arm the one timer for whatever comes next. The order of an attempt is
 * connection, token, write: a token taken before a wait for a connection would be spent late, and
 * tokens spent late arrive together.
 *
 * <p>A slot is used from the claim until both the exchange is over and its settlement is known.
 */
final class SubscriberVerticle extends VerticleBase implements Exchange.Listener {

  /**
   * A claim's deliveries are written within this or given back. The store counts on it: a bucket
   * that starts from its evidence subtracts what may still be written on the claims of this window.
   */
  static final long SEND_WINDOW_MS = 1_000;

  private static final Logger LOG = LoggerFactory.getLogger(SubscriberVerticle.class);

  private static final long NANOS_PER_MILLI = 1_000_000;
  private static final long SEND_WINDOW_NANOS = SEND_WINDOW_MS * NANOS_PER_MILLI;

  /** The configuration is read at most this often, however many hints come. */
  private static final long RELOAD_EVERY_NANOS = 200 * NANOS_PER_MILLI;

  /** With nothing due sooner, the verticle goes; the home's sweep brings it back in time. */
  private static final long STAY_FOR_NANOS = Duration.ofMinutes(5).toNanos();

  private static final long NEVER = Long.MAX_VALUE;
  private static final long NO_TIMER = -1;

  private final String id;
  private final int lane;
  private final Shared shared;

  private final Patience patience = new Patience();
  private final Map<Given, Held> held = new HashMap<>();
  private final Deque<Held> connected = new ArrayDeque<>();
  private final StoreBackoff backoff = new StoreBackoff();

  /** Of this turn of the event loop: they go to the retry verticle together. */
  private final List<Settlement> outcomes = new ArrayList<>();

  private @Nullable Setup setup;
  private @Nullable HttpClientAgent client;
  private long heldBytes;
  private int connecting;
  private long horizonNanos = ClaimTimes.MIN_HORIZON_NANOS;
  private long hintsSeen;
  private boolean asked;
  private int askedCount;
  private boolean hintedWhileAsking;
  private boolean loading;
  private long loadAtNanos;
  private boolean loadDue;
  private long lastLoadNanos;
  private boolean idle;
  private long idleSinceNanos;
  private boolean draining;
  private long resetAtNanos;
  private long timer = NO_TIMER;
  private long timerAtNanos;

  SubscriberVerticle(String id, int lane, Shared shared) {
    this.id = id;
    this.lane = lane;
    this.shared = shared;
  }

  /** What follows from the configuration. */
  private record Setup(
      SubscriberSetup read, RequestPlan plan, TokenBucket bucket, @Nullable ShareHolder share) {
    Subscriber subscriber() {
      return read.subscriber();
    }
  }

  /** A delivery in hand. */
  private static final class Held {
    private final Claimed claimed;
    private final Exchange exchange;
    private boolean answered;
    private boolean settled;

    Held(Claimed claimed, Exchange exchange) {
      this.claimed = claimed;
      this.exchange = exchange;
    }
  }

  @Override
  public Future<?> start() {
    client = shared.clients().here();
    return vertx
        .eventBus()
        .<SubscriberProtocol>localConsumer(Addresses.subscriber(id), this::on)
        .completion()
        .onSuccess(reachable -> load());
  }

  @Override
  public Future<?> stop() {
    cancelTimer();
    Setup with = setup;
    if (with != null && with.share != null) {
      with.share.release(System.nanoTime());
    }
    return Future.succeededFuture();
  }

  private void on(Message<SubscriberProtocol> message) {
    SubscriberProtocol told = message.body();
    if (told instanceof Work work) {
      onWork(work);
    } else if (told instanceof Settled settled) {
      settled.items().forEach(this::onSettled);
    } else if (told instanceof Released released) {
      released.items().forEach(this::onReleased);
    } else if (told instanceof Wake) {
      onHint();
    } else if (told instanceof Changed) {
      onHint();
      reloadSoon(System.nanoTime());
    } else if (told instanceof Drain drain) {
      onDrain(drain);
    }
    turn();
  }

  private void onHint() {
    hintsSeen++;
    hintedWhileAsking = true;
    patience.onHint(System.nanoTime());
  }

  // Configuration

  private void load() {
    loading = true;
    loadDue = false;
    lastLoadNanos = System.nanoTime();
    shared
        .store()
        .config()
        .setup(id, SEND_WINDOW_MS)
        .map(found -> found.map(this::setUp))
        .onComplete(this::onLoaded);
  }

  private Setup setUp(SubscriberSetup read) {
    RequestPlan plan = new RequestPlan(read.subscriber());
    if (read.subscriber().sharesQuota()) {
      ShareHolder share = shareFor(read.quota());
      return new Setup(read, plan, share.bucket(), share);
    }
    return new Setup(read, plan, bucketFor(read), null);
  }

  private ShareHolder shareFor(Quota quota) {
    Setup old = setup;
    if (old != null && old.share != null) {
      old.share.use(quota);
      return old.share;
    }
    String holder = id + "#" + deploymentID();
    return new ShareHolder(shared.shares(), quota, holder, this::turn, System.nanoTime());
  }

  /** The bucket in use, reshaped; or a new one that starts from what the store has seen spent. */
  private TokenBucket bucketFor(SubscriberSetup read) {
    Setup old = setup;
    Quota quota = read.quota();
    long now = System.nanoTime();
    if (old != null && old.bucket.rate().isUnlimited() == quota.rate().isUnlimited()) {
      old.bucket.reshape(quota.rate(), quota.burst(), now);
      return old.bucket;
    }
    long level = quota.rate().isUnlimited() ? 0 : read.levelMicros();
    return new TokenBucket(quota.rate(), quota.burst(), level, now);
  }

  private void onLoaded(AsyncResult<Optional<Setup>> loaded) {
    long now = System.nanoTime();
    loading = false;
    if (loaded.failed()) {
      if (!backoff.isFailing()) {
        LOG.warn(
            "configuration of subscriber {} not read, repeating: {}",
            id,
            loaded.cause().toString());
      }
      loadAt(now + backoff.next() * NANOS_PER_MILLI);
    } else {
      backoff.reset();
      loaded.result().ifPresentOrElse(fresh -> use(fresh, now), this::onUnknown);
    }
    turn();
  }

  private void use(Setup fresh, long now) {
    // Under the partition that they were claimed from.
    tellOutcomes();
    setup = fresh;
    boolean active = fresh.read.state() == Subscriber.State.ACTIVE;
    patience.onConfig(active, now);
    if (!active) {
      giveBackUnstarted();
    }
  }

  /** Deleted, or never there. */
  private void onUnknown() {
    patience.stop();
    giveBackUnstarted();
  }

  private void reloadSoon(long now) {
    loadAt(Math.max(now, lastLoadNanos + RELOAD_EVERY_NANOS));
  }

  private void loadAt(long atNanos) {
    if (!loadDue || atNanos - loadAtNanos < 0) {
      loadAtNanos = atNanos;
    }
    loadDue = true;
  }

  // Work comes in

  private void onWork(Work work) {
    long now = System.nanoTime();
    ClaimReply reply = work.reply();
    asked = false;
    horizonNanos = work.horizonNanos();
    List<Held> taken = new ArrayList<>(reply.deliveries().size());
    for (Claimed claimed : reply.deliveries()) {
      taken.add(hold(claimed, work.askedNanos()));
    }
    Setup with = setup;
    patience.onReply(reply.limit(), reply.nextInMs(), held.size(), hintedWhileAsking, now);
    if (with == null || draining || !patience.mayStart(now)) {
      giveBackUnstarted(taken);
    } else {
      taken.forEach(one -> open(one, with));
    }
    if (with == null
        || (reply.configVersion() >= 0 && reply.configVersion() != with.read.version())) {
      reloadSoon(now);
    }
  }

  private Held hold(Claimed claimed, long askedNanos) {
    Held one = new Held(claimed, new Exchange(vertx, claimed, askedNanos, this));
    held.put(key(claimed), one);
    heldBytes += claimed.body().length();
    connecting++;
    return one;
  }

  private static Given key(Claimed claimed) {
    return new Given(claimed.sequence(), claimed.claim().nonce());
  }

  private void open(Held one, Setup with) {
    if (client != null) {
      one.exchange.open(client, with.plan, with.subscriber().timeout().toMillis());
    }
  }

  // The turn

  private void turn() {
    long now = System.nanoTime();
    if (loadDue && !loading && !draining && loadAtNanos - now <= 0) {
      load();
    }
    if (draining && resetAtNanos - now <= 0) {
      resetAll();
    }
    Setup with = setup;
    if (with != null) {
      start(with, now);
      if (with.share != null) {
        with.share.turn(wanted(with, now), now);
      }
      ask(with, now);
    }
    restOrGo(now);
    arm(now);
  }

  /** Writes as many as have a connection and get a token, oldest claim first. */
  private void start(Setup with, long now) {
    while (!connected.isEmpty()) {
      Held head = connected.peekFirst();
      if (now - head.exchange.askedNanos() >= SEND_WINDOW_NANOS) {
        connected.pollFirst();
        giveBack(List.of(head));
      } else if (with.bucket.tryTake(now)) {
        connected.pollFirst();
        if (with.share != null) {
          with.share.spent();
        }
        head.exchange.write(with.plan, now, shared.clock().epochNanos(now), shared.config().name());
        shared.checkpoints().reached(Checkpoint.AFTER_WRITE);
      } else {
        return;
      }
    }
  }

  private int unstarted() {
    return connecting + connected.size();
  }

  private int freeSlots(Setup with) {
    return with.subscriber().maxInFlight() - held.size();
  }

  /** Tokens of a shared quota that it could use: whatever it has beyond that is another's. */
  private int wanted(Setup with, long now) {
    int more = askedCount;
    if (!asked) {
      more = !draining && patience.askInNanos(now) <= 0 ? Math.max(0, freeSlots(with)) : 0;
    }
    return Math.min(unstarted() + more, with.read.quota().burst());
  }

  private void ask(Setup with, long now) {
    if (asked || draining || patience.askInNanos(now) > 0) {
      return;
    }
    int count = Pacing.demand(with.bucket, freeSlots(with), unstarted(), horizonNanos, now);
    if (count < 1) {
      return;
    }
    asked = true;
    askedCount = count;
    hintedWhileAsking = false;
    tellDispatcher(
        new DispatcherProtocol.Demand(id, with.read.partition(), count, held.size(), heldBytes));
  }

  /** Says that it is idle, once it was for a while and nothing is due soon. */
  private void restOrGo(long now) {
    boolean expects = asked || loading || loadDue;
    boolean nothing = held.isEmpty() && (draining || !expects);
    if (!nothing || (!draining && nextAskNanos(now) <= STAY_FOR_NANOS)) {
      idle = false;
      return;
    }
    if (!idle) {
      idle = true;
      idleSinceNanos = now;
    }
    if (draining || now - idleSinceNanos >= shared.config().idleAfter().toNanos()) {
      tellDispatcher(new DispatcherProtocol.Idle(id, hintsSeen));
      idleSinceNanos = now;
    }
  }

  private long nextAskNanos(long now) {
    Setup with = setup;
    if (with == null || asked || draining || freeSlots(with) < 1) {
      return NEVER;
    }
    long patient = patience.askInNanos(now);
    long token = Pacing.demandInNanos(with.bucket, unstarted(), horizonNanos, now);
    if (with.share != null) {
      token = Math.min(token, with.share.waitNanos(wanted(with, now), now));
    }
    return Math.max(patient, token);
  }

  private void arm(long now) {
    long next = nextAskNanos(now);
    Setup with = setup;
    Held head = connected.peekFirst();
    if (head != null && with != null) {
      next = Math.min(next, with.bucket.nanosUntilNext(now));
      next = Math.min(next, head.exchange.askedNanos() + SEND_WINDOW_NANOS - now);
      if (with.share != null) {
        next = Math.min(next, with.share.waitNanos(wanted(with, now), now));
      }
    }
    if (loadDue && !loading && !draining) {
      next = Math.min(next, loadAtNanos - now);
    }
    if (draining && !held.isEmpty()) {
      next = Math.min(next, resetAtNanos - now);
    }
    if (idle) {
      next = Math.min(next, idleSinceNanos + shared.config().idleAfter().toNanos() - now);
    }
    if (next != NEVER) {
      armIn(Math.max(1, (next + NANOS_PER_MILLI - 1) / NANOS_PER_MILLI), now);
    }
  }

  /** A timer that fires too early costs one turn; setting one for each event would cost more. */
  private void armIn(long ms, long now) {
    long atNanos = now + ms * NANOS_PER_MILLI;
    if (timer != NO_TIMER) {
      if (timerAtNanos - atNanos <= 0) {
        return;
      }
      cancelTimer();
    }
    timerAtNanos = atNanos;
    timer =
        vertx.setTimer(
            ms,
            fired -> {
              timer = NO_TIMER;
              turn();
            });
  }

  private void cancelTimer() {
    if (timer != NO_TIMER) {
      vertx.cancelTimer(timer);
      timer = NO_TIMER;
    }
  }

  // What the exchanges tell

  @Override
  public void connected(Exchange exchange) {
    Held one = held.get(key(exchange.claimed()));
    if (one == null) {
      return;
    }
    connecting--;
    connected.addLast(one);
    turn();
  }

  @Override
  public void headArrived(Exchange exchange) {
    shared.checkpoints().reached(Checkpoint.AFTER_ANSWER);
  }

  @Override
  public void answered(Exchange exchange, Answer answer) {
    long now = System.nanoTime();
    Setup with = setup;
    Held one = held.get(key(exchange.claimed()));
    if (with == null || one == null) {
      return;
    }
    one.answered = true;
    notStartedAnyMore(exchange);
    Claimed claimed = exchange.claimed();
    Outcome outcome =
        Decision.decide(
            answer,
            with.subscriber(),
            facts(exchange, now),
            shared.clock().epochNanos(now) / NANOS_PER_MILLI,
            ThreadLocalRandom.current().nextDouble());
    shared.metrics().attempted(answer, outcome);
    obey(outcome, now);
    boolean keepTrace =
        !(outcome instanceof Outcome.Delivered) || shared.keepTraces().getAsBoolean();
    String trace = keepTrace ? trace(exchange, answer, outcome) : null;
    outcomes.add(
        new Settlement(
            claimed.id(), claimed.sequence(), claimed.claim(), outcome, trace, keepTrace));
    if (outcomes.size() == 1) {
      context.runOnContext(afterAnswers -> tellOutcomes());
    }
  }

  /**
   * A turn of the event loop brings many answers; told one by one they would cost the retry
   * verticle a wake-up each, and the store a script for the first of them alone.
   */
  private void tellOutcomes() {
    Setup with = setup;
    if (with != null && !outcomes.isEmpty()) {
      vertx
          .eventBus()
          .send(
              Addresses.retry(lane),
              new RetryProtocol.Settle(with.read.partition(), outcomes),
              Addresses.LOCAL);
      outcomes.clear();
    }
  }

  /** An exchange that failed before its write leaves the line. */
  private void notStartedAnyMore(Exchange exchange) {
    if (exchange.writtenNanos() != 0) {
      return;
    }
    if (!connected.removeIf(one -> one.exchange == exchange) && exchange.isConnecting()) {
      connecting--;
    }
  }

  private static AttemptFacts facts(Exchange exchange, long now) {
    Claimed claimed = exchange.claimed();
    long sinceClaimMs = Math.max(0, (now - exchange.askedNanos()) / NANOS_PER_MILLI);
    long ageMs = claimed.claimedAtMs() - claimed.firstClaimedAtMs() + sinceClaimMs;
    return new AttemptFacts(claimed.failures(), claimed.rateLimits(), ageMs);
  }

  private String trace(Exchange exchange, Answer answer, Outcome outcome) {
    return AttemptTrace.line(
        exchange.claimed(),
        shared.config().name(),
        new AttemptTrace.Timing(
            exchange.openedNanos(),
            exchange.writtenNanos(),
            exchange.answeredNanos(),
            shared.clock().epochNanos(exchange.writtenNanos())),
        answer,
        exchange.excerpt(),
        outcome);
  }

  /** What an outcome means for the next attempts holds here at once, before the store knows it. */
  private void obey(Outcome outcome, long now) {
    patience.closeGate(outcome.gateMs(), now);
    if (stops(outcome)) {
      patience.stop();
    }
    if (!patience.mayStart(now)) {
      giveBackUnstarted();
    }
  }

  private static boolean stops(Outcome outcome) {
    return (outcome instanceof Outcome.Retry retry && retry.pauseSubscriber())
        || (outcome instanceof Outcome.Dead dead && dead.disableSubscriber())
        || (outcome instanceof Outcome.Reconcile reconcile && reconcile.pauseSubscriber());
  }

  @Override
  public void over(Exchange exchange) {
    Held one = held.get(key(exchange.claimed()));
    if (one != null && one.settled) {
      free(one);
      turn();
    }
  }

  // What became of it

  private void onSettled(Item item) {
    long now = System.nanoTime();
    Held one = held.get(new Given(item.sequence(), item.claimNonce()));
    if (one == null) {
      return;
    }
    one.settled = true;
    patience.onSettled(now);
    patience.closeGate(item.reply().gateInMs(), now);
    if (item.retryInMs() >= 0) {
      patience.onRetryIn(item.retryInMs(), now);
    }
    if (!patience.mayStart(now)) {
      giveBackUnstarted();
    }
    if (one.exchange.isOver()) {
      free(one);
    }
  }

  private void onReleased(Given given) {
    Held one = held.get(given);
    if (one != null) {
      patience.onRetryIn(0, System.nanoTime());
      free(one);
    }
  }

  private void free(Held one) {
    held.remove(key(one.claimed));
    heldBytes -= one.claimed.body().length();
    shared.budget().give(1, one.claimed.body().length());
    if (held.isEmpty()) {
      patience.onEmptyHanded(shared.config().idleAfter().toMillis(), System.nanoTime());
    }
  }

  // Giving back

  private void giveBackUnstarted() {
    List<Held> unstarted = new ArrayList<>();
    for (Held one : held.values()) {
      if (!one.answered && !one.exchange.isWritten() && !one.exchange.isOver()) {
        unstarted.add(one);
      }
    }
    giveBackUnstarted(unstarted);
  }

  private void giveBackUnstarted(List<Held> unstarted) {
    for (Held one : unstarted) {
      if (!connected.remove(one)) {
        connecting--;
      }
    }
    giveBack(unstarted);
  }

  private void giveBack(List<Held> unstarted) {
    Setup with = setup;
    if (unstarted.isEmpty() || with == null) {
      return;
    }
    Map<ClaimId, List<Claimed>> byClaim = new LinkedHashMap<>();
    for (Held one : unstarted) {
      one.exchange.abandon();
      byClaim.computeIfAbsent(one.claimed.claim(), first -> new ArrayList<>()).add(one.claimed);
    }
    byClaim.forEach(
        (claim, claimed) ->
            vertx
                .eventBus()
                .send(
                    Addresses.retry(lane),
                    new RetryProtocol.Release(with.read.partition(), claim, claimed),
                    Addresses.LOCAL));
  }

  // Drain

  private void onDrain(Drain drain) {
    draining = true;
    asked = false;
    resetAtNanos = drain.resetAtNanos();
    giveBackUnstarted();
  }

  private void resetAll() {
    List.copyOf(held.values()).forEach(one -> one.exchange.drain());
  }

  private void tellDispatcher(DispatcherProtocol message) {
    vertx.eventBus().send(Addresses.dispatcher(lane), message, Addresses.LOCAL);
  }
}
