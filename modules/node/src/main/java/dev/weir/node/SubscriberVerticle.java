package dev.weir.node;

import dev.weir.domain.outcome.Answer;
import dev.weir.domain.outcome.AttemptFacts;
import dev.weir.domain.outcome.Decision;
import dev.weir.domain.outcome.Outcome;
import dev.weir.domain.quota.Quota;
import dev.weir.domain.quota.TokenBucket;
import dev.weir.domain.subscriber.Subscriber;
import dev.weir.node.Checkpoints.Checkpoint;
import dev.weir.node.InHand.Held;
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
import io.vertx.core.Future;
import io.vertx.core.VerticleBase;
import io.vertx.core.eventbus.Message;
import io.vertx.core.http.HttpClientAgent;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;

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

  private static final long NANOS_PER_MILLI = 1_000_000;
  private static final long SEND_WINDOW_NANOS = SEND_WINDOW_MS * NANOS_PER_MILLI;

  /** With nothing due sooner, the verticle goes; the home's sweep brings it back in time. */
  private static final long STAY_FOR_NANOS = Duration.ofMinutes(5).toNanos();

  private static final long NEVER = Long.MAX_VALUE;
  private static final long NO_TIMER = -1;

  private final String id;
  private final int lane;
  private final Shared shared;

  private final Patience patience = new Patience();
  private final InHand inHand = new InHand();
  private final SetupReader reader;

  /** Of this turn of the event loop: they go to the retry verticle together. */
  private final List<Settlement> outcomes = new ArrayList<>();

  private @Nullable Setup setup;
  private @Nullable HttpClientAgent client;
  private long horizonNanos = ClaimTimes.MIN_HORIZON_NANOS;
  private long hintsSeen;
  private boolean asked;
  private int askedCount;
  private boolean hintedWhileAsking;
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
    this.reader = new SetupReader(id, shared.store().config(), this::use, this::turn);
  }

  /** What follows from the configuration. */
  private record Setup(
      SubscriberSetup read, RequestPlan plan, TokenBucket bucket, @Nullable ShareHolder share) {
    Subscriber subscriber() {
      return read.subscriber();
    }
  }

  @Override
  public Future<?> start() {
    client = shared.clients().here();
    return vertx
        .eventBus()
        .<SubscriberProtocol>localConsumer(Addresses.subscriber(id), this::on)
        .completion()
        .onSuccess(reachable -> reader.read());
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
      reader.readSoon(System.nanoTime());
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

  private void use(Optional<SubscriberSetup> read) {
    read.ifPresentOrElse(this::use, this::onUnknown);
  }

  private void use(SubscriberSetup read) {
    // Under the partition that they were claimed from.
    tellOutcomes();
    setup = setUp(read);
    boolean active = read.state() == Subscriber.State.ACTIVE;
    patience.onConfig(active, System.nanoTime());
    if (!active) {
      giveBackUnstarted();
    }
  }

  /** Deleted, or never there. */
  private void onUnknown() {
    patience.stop();
    giveBackUnstarted();
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

  // Work comes in

  private void onWork(Work work) {
    long now = System.nanoTime();
    ClaimReply reply = work.reply();
    asked = false;
    horizonNanos = work.horizonNanos();
    List<Held> taken = new ArrayList<>(reply.deliveries().size());
    for (Claimed claimed : reply.deliveries()) {
      taken.add(inHand.take(claimed, new Exchange(vertx, claimed, work.askedNanos(), this)));
    }
    Setup with = setup;
    patience.onReply(reply.limit(), reply.nextInMs(), inHand.size(), hintedWhileAsking, now);
    if (with == null || draining || !patience.mayStart(now)) {
      giveBack(taken);
    } else {
      taken.forEach(one -> open(one, with));
    }
    if (with == null
        || (reply.configVersion() >= 0 && reply.configVersion() != with.read.version())) {
      reader.readSoon(now);
    }
  }

  private void open(Held one, Setup with) {
    if (client != null) {
      one.exchange().open(client, with.plan, with.subscriber().timeout().toMillis());
    }
  }

  // The turn

  private void turn() {
    long now = System.nanoTime();
    if (!draining && reader.waitNanos(now) <= 0) {
      reader.read();
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
    for (Held head = inHand.nextConnected(); head != null; head = inHand.nextConnected()) {
      Exchange exchange = head.exchange();
      if (now - exchange.askedNanos() >= SEND_WINDOW_NANOS) {
        giveBack(List.of(head));
      } else if (with.bucket.tryTake(now)) {
        inHand.leaveLine();
        if (with.share != null) {
          with.share.spent();
        }
        exchange.write(with.plan, now, shared.clock().epochNanos(now), shared.config().name());
        shared.checkpoints().reached(Checkpoint.AFTER_WRITE);
      } else {
        return;
      }
    }
  }

  private int freeSlots(Setup with) {
    return with.subscriber().maxInFlight() - inHand.size();
  }

  /** Tokens of a shared quota that it could use: whatever it has beyond that is another's. */
  private int wanted(Setup with, long now) {
    int more = askedCount;
    if (!asked) {
      more = !draining && patience.askInNanos(now) <= 0 ? Math.max(0, freeSlots(with)) : 0;
    }
    return Math.min(inHand.unstartedCount() + more, with.read.quota().burst());
  }

  private void ask(Setup with, long now) {
    if (asked || draining || patience.askInNanos(now) > 0) {
      return;
    }
    int count =
        Pacing.demand(with.bucket, freeSlots(with), inHand.unstartedCount(), horizonNanos, now);
    if (count < 1) {
      return;
    }
    asked = true;
    askedCount = count;
    hintedWhileAsking = false;
    tellDispatcher(
        new DispatcherProtocol.Demand(
            id,
            with.read.partition(),
            count,
            inHand.size(),
            inHand.bytes(),
            now + Pacing.patienceNanos(with.read.quota().rate())));
  }

  /** Says that it is idle, once it was for a while and nothing is due soon. */
  private void restOrGo(long now) {
    boolean expects = asked || reader.isBusy();
    boolean nothing = inHand.isEmpty() && (draining || !expects);
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
    long token = Pacing.demandInNanos(with.bucket, inHand.unstartedCount(), horizonNanos, now);
    if (with.share != null) {
      token = Math.min(token, with.share.waitNanos(wanted(with, now), now));
    }
    return Math.max(patient, token);
  }

  private void arm(long now) {
    long next = nextAskNanos(now);
    Setup with = setup;
    Held head = inHand.nextConnected();
    if (head != null && with != null) {
      next = Math.min(next, with.bucket.nanosUntilNext(now));
      next = Math.min(next, head.exchange().askedNanos() + SEND_WINDOW_NANOS - now);
      if (with.share != null) {
        next = Math.min(next, with.share.waitNanos(wanted(with, now), now));
      }
    }
    if (!draining) {
      next = Math.min(next, reader.waitNanos(now));
    } else if (!inHand.isEmpty()) {
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
    Held one = inHand.get(exchange);
    if (one != null) {
      inHand.connected(one);
      turn();
    }
  }

  @Override
  public void headArrived(Exchange exchange) {
    shared.checkpoints().reached(Checkpoint.AFTER_ANSWER);
  }

  @Override
  public void answered(Exchange exchange, Answer answer) {
    long now = System.nanoTime();
    Setup with = setup;
    Held one = inHand.get(exchange);
    if (with == null || one == null) {
      return;
    }
    one.answered();
    if (exchange.writtenNanos() == 0) {
      inHand.withdraw(one);
    }
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
    Held one = inHand.get(exchange);
    if (one != null && one.isDone()) {
      free(one);
      turn();
    }
  }

  // What became of it

  private void onSettled(Item item) {
    long now = System.nanoTime();
    Held one = inHand.get(new Given(item.sequence(), item.claimNonce()));
    if (one == null) {
      return;
    }
    one.settled();
    patience.onSettled(now);
    patience.closeGate(item.reply().gateInMs(), now);
    if (item.retryInMs() >= 0) {
      patience.onRetryIn(item.retryInMs(), now);
    }
    if (!patience.mayStart(now)) {
      giveBackUnstarted();
    }
    if (one.isDone()) {
      free(one);
    }
  }

  private void onReleased(Given given) {
    Held one = inHand.get(given);
    if (one != null) {
      patience.onRetryIn(0, System.nanoTime());
      free(one);
    }
  }

  private void free(Held one) {
    inHand.free(one);
    shared.budget().give(1, one.claimed().body().length());
    if (inHand.isEmpty()) {
      patience.onEmptyHanded(shared.config().idleAfter().toMillis(), System.nanoTime());
    }
  }

  // Giving back

  private void giveBackUnstarted() {
    giveBack(inHand.unstarted());
  }

  private void giveBack(List<Held> unstarted) {
    Setup with = setup;
    if (unstarted.isEmpty() || with == null) {
      return;
    }
    Map<ClaimId, List<Claimed>> byClaim = new LinkedHashMap<>();
    for (Held one : unstarted) {
      inHand.withdraw(one);
      one.exchange().abandon();
      byClaim.computeIfAbsent(one.claimed().claim(), first -> new ArrayList<>()).add(one.claimed());
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
    inHand.all().forEach(one -> one.exchange().drain());
  }

  private void tellDispatcher(DispatcherProtocol message) {
    vertx.eventBus().send(Addresses.dispatcher(lane), message, Addresses.LOCAL);
  }
}
