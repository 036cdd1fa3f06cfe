package dev.weir.node;

import dev.weir.protocol.bus.Addresses;
import dev.weir.protocol.bus.DispatcherProtocol;
import dev.weir.protocol.store.DeliveryStore.Due;
import dev.weir.protocol.store.DeliveryStore.Sweep;
import dev.weir.protocol.store.PublishStore.OpenIntent;
import dev.weir.protocol.store.PublishStore.Published;
import io.vertx.core.Future;
import io.vertx.core.VerticleBase;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Finds what nobody was woken for. At its start it takes the store epoch, lets the dispatchers
 * begin, and ends the claims of older processes. From then on, in bounded steps: the sweep for
 * subscribers whose time has come, publishes that were begun and not finished, deletes likewise,
 * dead letters past their retention, and the totals for the metrics.
 */
final class HomeVerticle extends VerticleBase {

  private static final Logger LOG = LoggerFactory.getLogger(HomeVerticle.class);

  /** A verticle acts on time by itself: one that is this much overdue has missed something. */
  private static final long GRACE_MS = 250;

  /** Between two looks at the plan, so that what comes due one after the other comes together. */
  private static final long SWEEP_PAUSE_MS = 10;

  private static final long REREAD_MS = 1_000;

  /**
   * Whom it woke it leaves alone for so long: setting up takes a while, and a hint to one that is
   * about to ask makes it ask twice.
   */
  private static final long REWAKE_MS = 1_000;

  private static final long INTENT_AGE_MS = 5_000;

  private static final long TOTALS_PAUSE_MS = 1_000;
  private static final long NANOS_PER_MILLI = 1_000_000;

  private static final long TIDY_PAUSE_MS = 250;

  /** Each partition is tidied once in 16 steps, so about every 4 s. */
  private static final int TIDY_ROUND_STEPS = 16;

  /** And purged once in so many rounds, about every minute. */
  private static final int PURGE_EVERY_ROUNDS = 15;

  private static final int STEP = 100;

  private final Shared shared;
  private final BusWakes wakes;
  private final int partitions;
  private final SweepPlan plan;
  private final StoreBackoff backoff = new StoreBackoff();

  /** When it woke whom, oldest first; only what {@link #REWAKE_MS} still concerns. */
  private final Map<String, Long> wokenNanos = new LinkedHashMap<>();

  private final List<Recurring> recurring = new ArrayList<>();

  private long tidied;
  private boolean stopped;

  HomeVerticle(Shared shared, BusWakes wakes) {
    this.shared = shared;
    this.wakes = wakes;
    this.partitions = shared.store().deliveries().partitions();
    this.plan =
        new SweepPlan(
            partitions, GRACE_MS * NANOS_PER_MILLI, REREAD_MS * NANOS_PER_MILLI, System.nanoTime());
  }

  /** Completes at once; the epoch follows as soon as the store answers. */
  @Override
  public Future<?> start() {
    context.runOnContext(turn -> begin());
    return Future.succeededFuture();
  }

  @Override
  public Future<?> stop() {
    stopped = true;
    recurring.forEach(Recurring::stop);
    return Future.succeededFuture();
  }

  // Start

  private void begin() {
    if (stopped) {
      return;
    }
    shared
        .store()
        .deliveries()
        .beginEpoch()
        .onSuccess(this::onEpoch)
        .onFailure(
            failure -> {
              if (!backoff.isFailing()) {
                LOG.warn("the store epoch could not be taken, repeating: {}", failure.toString());
              }
              vertx.setTimer(backoff.next(), now -> begin());
            });
  }

  private void onEpoch(long epoch) {
    backoff.reset();
    LOG.info("node {} delivers under store epoch {}", shared.config().name(), epoch);
    shared.health().begun();
    for (int lane = 0; lane < shared.config().lanes(); lane++) {
      vertx
          .eventBus()
          .send(Addresses.dispatcher(lane), new DispatcherProtocol.Begin(epoch), Addresses.LOCAL);
    }
    recoverFrom(0, epoch).onComplete(done -> goOn());
  }

  /** Partition after partition, each in bounded steps; deliveries go on meanwhile. */
  private Future<Void> recoverFrom(int partition, long epoch) {
    if (partition == partitions || stopped) {
      return Future.succeededFuture();
    }
    return shared
        .store()
        .deliveries()
        .recover(partition, epoch, STEP)
        .onSuccess(recovered -> backoff.reset())
        .transform(
            step -> {
              if (step.failed()) {
                return pause(backoff.next()).compose(now -> recoverFrom(partition, epoch));
              }
              return recoverFrom(step.result() < STEP ? partition + 1 : partition, epoch);
            });
  }

  private Future<Void> pause(long ms) {
    return Future.future(promise -> vertx.setTimer(ms, now -> promise.complete()));
  }

  private void goOn() {
    recurring.add(new Recurring(vertx, "sweep", this::sweepDue, this::sweepPauseMs));
    recurring.add(new Recurring(vertx, "tidying", this::tidyNext, () -> TIDY_PAUSE_MS));
    recurring.add(
        new Recurring(vertx, "reading of totals", this::readTotals, () -> TOTALS_PAUSE_MS));
    if (!stopped) {
      recurring.forEach(Recurring::start);
    }
  }

  // Sweep

  private Future<Void> sweepDue() {
    long now = System.nanoTime();
    wokenNanos.values().removeIf(woken -> now - woken >= REWAKE_MS * NANOS_PER_MILLI);
    List<Future<Void>> sweeps = new ArrayList<>();
    for (int partition = 0; partition < partitions; partition++) {
      if (plan.isDue(partition, now)) {
        sweeps.add(sweep(partition));
      }
    }
    return sweeps.isEmpty() ? Future.succeededFuture() : Future.join(sweeps).mapEmpty();
  }

  private long sweepPauseMs() {
    return Math.max(SWEEP_PAUSE_MS, plan.nextInNanos(System.nanoTime()) / NANOS_PER_MILLI + 1);
  }

  private Future<Void> sweep(int partition) {
    return shared
        .store()
        .deliveries()
        .sweep(partition, plan.page(partition))
        .onFailure(failure -> plan.failed(partition, System.nanoTime()))
        .map(
            sweep -> {
              plan.swept(partition, sweep, System.nanoTime());
              wakeDue(sweep);
              return null;
            });
  }

  private void wakeDue(Sweep sweep) {
    long now = System.nanoTime();
    List<String> fresh = new ArrayList<>();
    List<String> overdue = new ArrayList<>();
    for (Due due : sweep.due()) {
      if (wokenNanos.putIfAbsent(due.subscriber(), now) == null) {
        (due.overdueMs() < GRACE_MS ? fresh : overdue).add(due.subscriber());
      }
    }
    if (!fresh.isEmpty()) {
      wakes.bringUp(fresh);
    }
    if (!overdue.isEmpty()) {
      wakes.due(overdue);
    }
  }

  // Tidying

  private Future<Void> tidyNext() {
    int place = (int) (tidied % TIDY_ROUND_STEPS);
    boolean purges = tidied / TIDY_ROUND_STEPS % PURGE_EVERY_ROUNDS == 0;
    tidied++;
    List<Future<Void>> steps = new ArrayList<>();
    for (int partition = place; partition < partitions; partition += TIDY_ROUND_STEPS) {
      steps.add(tidy(partition, purges));
    }
    return steps.isEmpty() ? Future.succeededFuture() : Future.join(steps).mapEmpty();
  }

  private Future<Void> tidy(int partition, boolean purges) {
    return resumeIntents(partition)
        .compose(resumed -> shared.store().config().finishDeletes(partition))
        .compose(finished -> purges ? purge(partition) : Future.succeededFuture())
        .mapEmpty();
  }

  private Future<Void> resumeIntents(int partition) {
    return shared
        .store()
        .publishes()
        .openIntents(partition, INTENT_AGE_MS, STEP)
        .compose(
            intents ->
                intents.isEmpty()
                    ? Future.succeededFuture()
                    : Future.join(intents.stream().map(this::resume).toList()).mapEmpty());
  }

  private Future<Published> resume(OpenIntent intent) {
    return shared
        .store()
        .publishes()
        .resume(intent)
        .onSuccess(
            published -> {
              if (published instanceof Published.Accepted accepted
                  && !accepted.created().isEmpty()) {
                wakes.due(accepted.created());
              }
            });
  }

  private Future<Void> purge(int partition) {
    Duration retention = shared.config().deadLetterRetention();
    return shared
        .store()
        .deliveries()
        .purgeDeadLetters(partition, retention.toMillis(), STEP)
        .mapEmpty();
  }

  private Future<Void> readTotals() {
    return shared.store().inspection().totals().onSuccess(shared.metrics()::totals).mapEmpty();
  }
}
