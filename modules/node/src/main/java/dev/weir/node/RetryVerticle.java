package dev.weir.node;

import dev.weir.domain.outcome.Outcome;
import dev.weir.node.Checkpoints.Checkpoint;
import dev.weir.protocol.bus.Addresses;
import dev.weir.protocol.bus.RetryProtocol;
import dev.weir.protocol.bus.RetryProtocol.Release;
import dev.weir.protocol.bus.RetryProtocol.Settle;
import dev.weir.protocol.bus.SubscriberProtocol;
import dev.weir.protocol.bus.SubscriberProtocol.Given;
import dev.weir.protocol.bus.SubscriberProtocol.Item;
import dev.weir.protocol.store.DeliveryStore.SettleReply;
import dev.weir.protocol.store.DeliveryStore.Settled;
import dev.weir.protocol.store.DeliveryStore.Settlement;
import dev.weir.protocol.store.StoreException;
import io.vertx.core.AsyncResult;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.VerticleBase;
import io.vertx.core.eventbus.Message;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells the store what became of a lane's attempts: outcomes, and deliveries given back. One batch
 * per partition and kind is under way at a time, and of outcomes only a few of them; what comes
 * meanwhile rides in the next. Each is repeated until its result is known and never dropped: those
 * who wait for it hold their slots, so what waits here is bounded by what is in flight.
 */
final class RetryVerticle extends VerticleBase {

  private static final Logger LOG = LoggerFactory.getLogger(RetryVerticle.class);

  /** Traces included, a batch stays well below a millisecond of Redis and a megabyte. */
  private static final int MAX_BATCH = 64;

  /** Batches of outcomes that are sent at a time: enough to keep the store busy. */
  private static final int SETTLES_AT_ONCE = 4;

  /** How long stopping waits for the store. */
  static final long MAX_FLUSH_MS = 2_000;

  private final int lane;
  private final Shared shared;
  private final Line[] lines;
  private final Turns<Integer> turns = new Turns<>(SETTLES_AT_ONCE);
  private @Nullable Promise<Void> emptied;

  RetryVerticle(int lane, Shared shared) {
    this.lane = lane;
    this.shared = shared;
    this.lines = new Line[shared.store().deliveries().partitions()];
    for (int partition = 0; partition < lines.length; partition++) {
      lines[partition] = new Line(partition);
    }
  }

  /** What waits for one partition. */
  private static final class Line {
    private final int partition;
    private final Queue<Settlement> settlements = new ArrayDeque<>();
    private final Queue<Release> releases = new ArrayDeque<>();
    private final StoreBackoff settleBackoff = new StoreBackoff();
    private final StoreBackoff releaseBackoff = new StoreBackoff();
    private boolean settling;
    private boolean releasing;
    private boolean inDoubt;

    /** Settlements that are sent alone, to find the one that is broken. */
    private int singly;

    Line(int partition) {
      this.partition = partition;
    }

    boolean isEmpty() {
      return !settling && !releasing && settlements.isEmpty() && releases.isEmpty();
    }
  }

  @Override
  public Future<?> start() {
    return vertx
        .eventBus()
        .<RetryProtocol>localConsumer(Addresses.retry(lane), this::on)
        .completion();
  }

  /** Completes when everything is known, or after {@value #MAX_FLUSH_MS} ms. */
  @Override
  public Future<?> stop() {
    Promise<Void> done = Promise.promise();
    emptied = done;
    completeWhenEmpty();
    if (!done.future().isComplete()) {
      vertx.setTimer(MAX_FLUSH_MS, late -> giveUp(done));
    }
    return done.future();
  }

  /** The store stays away: leases end by themselves, and what was delivered may be sent again. */
  private void giveUp(Promise<Void> done) {
    if (done.tryComplete()) {
      LOG.warn("stopping with outcomes that the store has not confirmed");
    }
  }

  private void on(Message<RetryProtocol> message) {
    RetryProtocol told = message.body();
    if (told instanceof Settle settle) {
      Line line = lines[settle.partition()];
      line.settlements.addAll(settle.settlements());
      lineUp(line);
      settleNext();
    } else if (told instanceof Release release) {
      Line line = lines[release.partition()];
      line.releases.add(release);
      releaseNext(line);
    }
  }

  // Settle

  private void lineUp(Line line) {
    if (!line.settling && !line.settlements.isEmpty()) {
      turns.want(line.partition, System.nanoTime());
    }
  }

  private void settleNext() {
    for (Integer next = turns.next(); next != null; next = turns.next()) {
      Line line = lines[next];
      line.settling = true;
      List<Settlement> batch = nextBatch(line);
      ask(line, batch)
          .onComplete(
              answer -> {
                turns.over();
                onAnswer(line, batch, answer);
              });
    }
    completeWhenEmpty();
  }

  private static List<Settlement> nextBatch(Line line) {
    int most = line.singly > 0 ? 1 : MAX_BATCH;
    List<Settlement> batch = new ArrayList<>(Math.min(most, line.settlements.size()));
    while (batch.size() < most && !line.settlements.isEmpty()) {
      batch.add(line.settlements.remove());
    }
    return batch;
  }

  private Future<List<SettleReply>> ask(Line line, List<Settlement> batch) {
    return shared.store().deliveries().settle(line.partition, batch);
  }

  private void onAnswer(Line line, List<Settlement> batch, AsyncResult<List<SettleReply>> answer) {
    if (answer.succeeded()) {
      onSettled(line, batch, answer.result());
    } else {
      onSettleFailed(line, batch, answer.cause());
    }
  }

  private void onSettled(Line line, List<Settlement> batch, List<SettleReply> replies) {
    shared.checkpoints().reached(Checkpoint.AFTER_SETTLE);
    line.settleBackoff.reset();
    line.singly = Math.max(0, line.singly - batch.size());
    // Not before the last of the outage: a claim between two batches would end the leases of those
    // still to come and send them again.
    if (line.settlements.isEmpty()) {
      endDoubt(line);
    }
    Map<String, List<Item>> bySubscriber = new LinkedHashMap<>();
    for (int i = 0; i < batch.size(); i++) {
      Settlement settlement = batch.get(i);
      SettleReply reply = replies.get(i);
      count(settlement, reply);
      bySubscriber
          .computeIfAbsent(settlement.id().subscriber(), first -> new ArrayList<>())
          .add(item(settlement, reply));
    }
    bySubscriber.forEach((id, items) -> tell(id, new SubscriberProtocol.Settled(items)));
    goOn(line);
  }

  private void goOn(Line line) {
    line.settling = false;
    lineUp(line);
    settleNext();
  }

  private void count(Settlement settlement, SettleReply reply) {
    if (reply.settled() == Settled.APPLIED && settlement.outcome() instanceof Outcome.Delivered) {
      shared.metrics().delivered();
    }
  }

  private static Item item(Settlement settlement, SettleReply reply) {
    long retryInMs =
        reply.settled() == Settled.APPLIED && settlement.outcome() instanceof Outcome.Retry retry
            ? retry.delayMs()
            : -1;
    return new Item(settlement.sequence(), settlement.claim().nonce(), retryInMs, reply);
  }

  private void onSettleFailed(Line line, List<Settlement> batch, Throwable failure) {
    if (isBroken(failure)) {
      onBroken(line, batch, failure);
      return;
    }
    if (!line.settleBackoff.isFailing()) {
      LOG.warn("settle in partition {} failed, repeating: {}", line.partition, failure.toString());
    }
    beginDoubt(line);
    // Without a turn: a partition whose store is away must not take those of the others.
    vertx.setTimer(
        line.settleBackoff.next(),
        now -> ask(line, batch).onComplete(answer -> onAnswer(line, batch, answer)));
    settleNext();
  }

  /** Sent alone the others get through; the broken one goes to the end and is tried for ever. */
  private void onBroken(Line line, List<Settlement> batch, Throwable failure) {
    endDoubt(line);
    line.settlements.addAll(batch);
    if (batch.size() > 1) {
      line.singly = line.settlements.size();
      goOn(line);
      return;
    }
    if (!line.settleBackoff.isFailing()) {
      LOG.error("settling {} is broken, repeating", batch.get(0).id().key(), failure);
    }
    vertx.setTimer(line.settleBackoff.next(), now -> goOn(line));
    settleNext();
  }

  private static boolean isBroken(Throwable failure) {
    return !(failure instanceof StoreException store) || store.kind() == StoreException.Kind.BROKEN;
  }

  private void beginDoubt(Line line) {
    if (!line.inDoubt) {
      line.inDoubt = true;
      shared.inDoubt().begin(line.partition);
    }
  }

  private void endDoubt(Line line) {
    if (line.inDoubt) {
      line.inDoubt = false;
      shared.inDoubt().end(line.partition);
    }
  }

  // Release

  private void releaseNext(Line line) {
    Release next = line.releases.peek();
    if (line.releasing || next == null) {
      completeWhenEmpty();
      return;
    }
    line.releasing = true;
    release(line, next);
  }

  private void release(Line line, Release release) {
    shared
        .store()
        .deliveries()
        .release(line.partition, release.claim(), release.unstarted())
        .onSuccess(done -> onReleased(line, release))
        .onFailure(failure -> onReleaseFailed(line, release, failure));
  }

  private void onReleased(Line line, Release release) {
    line.releaseBackoff.reset();
    line.releases.remove();
    line.releasing = false;
    tell(release.unstarted().get(0).id().subscriber(), released(release));
    releaseNext(line);
  }

  private static SubscriberProtocol.Released released(Release release) {
    return new SubscriberProtocol.Released(
        release.unstarted().stream()
            .map(claimed -> new Given(claimed.sequence(), claimed.claim().nonce()))
            .toList());
  }

  private void onReleaseFailed(Line line, Release release, Throwable failure) {
    if (!line.releaseBackoff.isFailing()) {
      LOG.warn("release in partition {} failed, repeating: {}", line.partition, failure.toString());
    }
    vertx.setTimer(line.releaseBackoff.next(), now -> release(line, release));
  }

  private void tell(String subscriber, SubscriberProtocol message) {
    vertx.eventBus().send(Addresses.subscriber(subscriber), message, Addresses.LOCAL);
  }

  private void completeWhenEmpty() {
    Promise<Void> waiting = emptied;
    if (waiting == null) {
      return;
    }
    for (Line line : lines) {
      if (!line.isEmpty()) {
        return;
      }
    }
    waiting.tryComplete();
  }
}
