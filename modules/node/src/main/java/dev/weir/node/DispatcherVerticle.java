package dev.weir.node;

import dev.weir.node.Checkpoints.Checkpoint;
import dev.weir.node.Registry.Action;
import dev.weir.node.Registry.Missed;
import dev.weir.node.Registry.Slot;
import dev.weir.protocol.bus.Addresses;
import dev.weir.protocol.bus.DispatcherProtocol;
import dev.weir.protocol.bus.DispatcherProtocol.Begin;
import dev.weir.protocol.bus.DispatcherProtocol.BringUp;
import dev.weir.protocol.bus.DispatcherProtocol.Changed;
import dev.weir.protocol.bus.DispatcherProtocol.Demand;
import dev.weir.protocol.bus.DispatcherProtocol.Drain;
import dev.weir.protocol.bus.DispatcherProtocol.Drained;
import dev.weir.protocol.bus.DispatcherProtocol.Idle;
import dev.weir.protocol.bus.DispatcherProtocol.Wake;
import dev.weir.protocol.bus.RetryProtocol;
import dev.weir.protocol.bus.SubscriberProtocol;
import dev.weir.protocol.store.ClaimId;
import dev.weir.protocol.store.DeliveryStore.ClaimReply;
import dev.weir.protocol.store.DeliveryStore.ClaimRequest;
import dev.weir.protocol.store.DeliveryStore.Claimed;
import dev.weir.protocol.store.DeliveryStore.Limit;
import dev.weir.protocol.store.StoreException;
import io.vertx.core.AsyncResult;
import io.vertx.core.Future;
import io.vertx.core.VerticleBase;
import io.vertx.core.eventbus.Message;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Serves the subscribers of one lane: deploys their verticles when there is something to do,
 * collects their demand, claims it from the store in batches, and hands each claim on.
 *
 * <p>One claim per partition is under way at a time; demand that comes meanwhile rides in the next,
 * so that batches grow by themselves when the store is slow. A few partitions claim at a time, who
 * is in a hurry first. A claim whose reply was lost is repeated under the same id until it is
 * known: the store answers with the same deliveries. The subscribers' verticles are this one's
 * children, and go with it.
 */
final class DispatcherVerticle extends VerticleBase {

  private static final Logger LOG = LoggerFactory.getLogger(DispatcherVerticle.class);

  /** Claims under way at a time: enough to keep the store busy. */
  private static final int CLAIMS_AT_ONCE = 4;

  private static final int MAX_REPLY_BYTES = 1 << 20;
  private static final int MAX_ACTIVATIONS = 64;

  /** Hints beyond this are dropped: the home's sweep brings them again. */
  private static final int MAX_WAITING_ACTIVATIONS = 10_000;

  /** How soon a demand that found no room, or a partition in doubt, is looked at again. */
  private static final long AGAIN_MS = 5;

  /** How long a subscriber waits whose claim is broken: a person must look. */
  private static final long BROKEN_MS = 5_000;

  private final int lane;
  private final Shared shared;
  private final Registry registry = new Registry();
  private final Set<String> toActivate = new LinkedHashSet<>();
  private final ClaimTimes times = new ClaimTimes();
  private final Partition[] partitions;
  private final Turns<Integer> turns = new Turns<>(CLAIMS_AT_ONCE);

  private int activations;
  private int claimsUnderWay;
  private long epoch = -1;
  private long nonce;
  private boolean againArmed;
  private @Nullable Message<?> drain;
  private long drainResetAtNanos;
  private boolean drained;

  DispatcherVerticle(int lane, Shared shared) {
    this.lane = lane;
    this.shared = shared;
    this.partitions = new Partition[shared.store().deliveries().partitions()];
    for (int partition = 0; partition < partitions.length; partition++) {
      partitions[partition] = new Partition(partition);
    }
  }

  private static final class Partition {
    private final int number;
    private final DemandQueue demand = new DemandQueue();
    private final StoreBackoff backoff = new StoreBackoff();
    private boolean claiming;

    /** Claims for one subscriber each that are still to come, to find the one that is broken. */
    private int singly;

    Partition(int number) {
      this.number = number;
    }
  }

  private record Claim(
      Partition partition,
      ClaimId id,
      List<ClaimRequest> requests,
      int maxBytes,
      long askedNanos) {}

  @Override
  public Future<?> start() {
    return vertx
        .eventBus()
        .<DispatcherProtocol>localConsumer(Addresses.dispatcher(lane), this::on)
        .completion();
  }

  private void on(Message<DispatcherProtocol> message) {
    DispatcherProtocol told = message.body();
    if (told instanceof Demand demand) {
      onDemand(demand);
    } else if (told instanceof Wake wake) {
      wake.subscribers().forEach(subscriber -> hint(subscriber, false));
    } else if (told instanceof BringUp due) {
      due.subscribers().forEach(this::bringUp);
    } else if (told instanceof Changed changed) {
      hint(changed.subscriber(), true);
    } else if (told instanceof Idle idle) {
      onIdle(idle);
    } else if (told instanceof Begin begin) {
      epoch = begin.epoch();
      pumpAll();
    } else if (told instanceof Drain order) {
      onDrain(order, message);
    }
  }

  // Subscribers come and go

  private void hint(String subscriber, boolean changed) {
    if (isDraining() || shared.health().isStopped()) {
      return;
    }
    boolean isNew = registry.get(subscriber) == null;
    if (isNew && activations >= MAX_ACTIVATIONS) {
      if (toActivate.size() < MAX_WAITING_ACTIVATIONS) {
        toActivate.add(subscriber);
      }
      return;
    }
    Action action = registry.hint(subscriber, changed);
    if (action == Action.DEPLOY) {
      deploy(subscriber);
    } else if (action == Action.SEND) {
      send(subscriber, changed ? new SubscriberProtocol.Changed() : new SubscriberProtocol.Wake());
    }
  }

  private void bringUp(String subscriber) {
    if (registry.get(subscriber) == null) {
      hint(subscriber, false);
    }
  }

  private void deploy(String subscriber) {
    activations++;
    vertx
        .deployVerticle(new SubscriberVerticle(subscriber, lane, shared))
        .onComplete(deployed -> onDeployed(subscriber, deployed));
  }

  private void onDeployed(String subscriber, AsyncResult<String> deployed) {
    activations--;
    if (deployed.failed()) {
      LOG.error("subscriber {} could not be started", subscriber, deployed.cause());
      registry.forget(subscriber);
    } else {
      Missed missed = registry.deployed(subscriber, deployed.result());
      if (missed.wake()) {
        send(subscriber, new SubscriberProtocol.Wake());
      }
      if (missed.changed()) {
        send(subscriber, new SubscriberProtocol.Changed());
      }
      if (isDraining()) {
        send(subscriber, new SubscriberProtocol.Drain(drainResetAtNanos));
      }
    }
    activateNext();
    finishDrain();
  }

  /** As many as there is room for: a waiting one that was hinted meanwhile takes none. */
  private void activateNext() {
    while (!toActivate.isEmpty() && activations < MAX_ACTIVATIONS) {
      String subscriber = toActivate.iterator().next();
      toActivate.remove(subscriber);
      hint(subscriber, false);
    }
  }

  private void onIdle(Idle idle) {
    if (registry.idle(idle.subscriber(), idle.hintsSeen()) == Action.UNDEPLOY) {
      undeploy(idle.subscriber());
    }
  }

  private void undeploy(String subscriber) {
    Slot slot = registry.get(subscriber);
    if (slot != null) {
      vertx.undeploy(slot.deploymentId()).onComplete(gone -> onUndeployed(subscriber));
    }
  }

  private void onUndeployed(String subscriber) {
    LOG.debug("the verticle of {} is gone, nothing was due", subscriber);
    if (registry.undeployed(subscriber) == Action.DEPLOY) {
      if (isDraining()) {
        registry.forget(subscriber);
      } else {
        deploy(subscriber);
      }
    }
    finishDrain();
  }

  // Demand and claims

  private void onDemand(Demand demand) {
    if (!isDraining()) {
      Partition partition = partitions[demand.partition()];
      partition.demand.add(demand);
      lineUp(partition);
      pump();
    }
  }

  private void lineUp(Partition partition) {
    if (!partition.claiming && !partition.demand.isEmpty()) {
      turns.want(partition.number, partition.demand.deadlineNanos());
    }
  }

  private void pumpAll() {
    for (Partition partition : partitions) {
      lineUp(partition);
    }
    pump();
  }

  private void pump() {
    if (epoch < 0 || isDraining() || shared.health().isStopped()) {
      return;
    }
    for (Integer next = turns.next(); next != null; next = turns.next()) {
      if (!claimFor(partitions[next])) {
        turns.over();
        lookAgain();
      }
    }
  }

  /** Whether a claim is under way now. */
  private boolean claimFor(Partition partition) {
    long freeBytes = shared.budget().freeBytes();
    List<ClaimRequest> requests =
        shared.inDoubt().is(partition.number)
            ? List.of()
            : partition.demand.take(
                partition.singly > 0 ? 1 : DemandQueue.MAX_SUBSCRIBERS,
                shared.budget().freeAttempts(),
                freeBytes,
                this::bodyBytes);
    if (requests.isEmpty()) {
      return false;
    }
    ClaimId id = new ClaimId(epoch, shared.incarnation() + "-" + lane, ++nonce);
    int maxBytes = (int) Math.max(1, Math.min(MAX_REPLY_BYTES, freeBytes));
    partition.claiming = true;
    claimsUnderWay++;
    Claim claim = new Claim(partition, id, requests, maxBytes, System.nanoTime());
    ask(claim)
        .onComplete(
            answer -> {
              turns.over();
              onAnswer(claim, answer);
            });
    return true;
  }

  private long bodyBytes(String subscriber) {
    Slot slot = registry.get(subscriber);
    return slot == null ? 1 : slot.bodyBytes();
  }

  private void lookAgain() {
    if (!againArmed) {
      againArmed = true;
      vertx.setTimer(
          AGAIN_MS,
          now -> {
            againArmed = false;
            pumpAll();
          });
    }
  }

  private Future<List<ClaimReply>> ask(Claim claim) {
    long sentNanos = System.nanoTime();
    return shared
        .store()
        .deliveries()
        .claim(claim.partition.number, claim.id, claim.requests, claim.maxBytes)
        .onSuccess(replies -> times.record(System.nanoTime() - sentNanos));
  }

  private void onAnswer(Claim claim, AsyncResult<List<ClaimReply>> answer) {
    if (answer.succeeded()) {
      onClaimed(claim, answer.result());
    } else {
      onClaimFailed(claim, answer.cause());
    }
  }

  private void onClaimed(Claim claim, List<ClaimReply> replies) {
    Partition partition = claim.partition;
    shared.checkpoints().reached(Checkpoint.AFTER_CLAIM);
    partition.backoff.reset();
    partition.singly = Math.max(0, partition.singly - 1);
    for (ClaimReply reply : replies) {
      route(claim, reply);
    }
    ended(partition);
  }

  private void ended(Partition partition) {
    partition.claiming = false;
    claimsUnderWay--;
    lineUp(partition);
    pump();
    finishDrain();
  }

  private void route(Claim claim, ClaimReply reply) {
    if (reply.limit() == Limit.QUOTA) {
      shared.metrics().backstopFired();
    }
    Slot slot = registry.get(reply.subscriber());
    // One that is still activating is reachable: it has asked.
    if (slot == null || isDraining()) {
      giveBack(claim, reply);
      return;
    }
    long bytes = bytes(reply.deliveries());
    int count = reply.deliveries().size();
    if (count > 0) {
      slot.weighed(bytes / count);
      shared.budget().take(count, bytes);
    }
    send(
        reply.subscriber(),
        new SubscriberProtocol.Work(reply, claim.askedNanos, times.horizonNanos()));
  }

  private void giveBack(Claim claim, ClaimReply reply) {
    if (!reply.deliveries().isEmpty()) {
      vertx
          .eventBus()
          .send(
              Addresses.retry(lane),
              new RetryProtocol.Release(claim.partition.number, claim.id, reply.deliveries()),
              Addresses.LOCAL);
    }
  }

  private static long bytes(List<Claimed> deliveries) {
    long bytes = 0;
    for (Claimed claimed : deliveries) {
      bytes += claimed.body().length();
    }
    return bytes;
  }

  private void onClaimFailed(Claim claim, Throwable failure) {
    StoreException.Kind kind =
        failure instanceof StoreException store ? store.kind() : StoreException.Kind.BROKEN;
    if (kind == StoreException.Kind.FENCED) {
      onFenced(claim, failure);
    } else if (kind == StoreException.Kind.BROKEN) {
      onBroken(claim, failure);
    } else {
      repeatLater(claim, failure);
    }
  }

  private void onFenced(Claim claim, Throwable failure) {
    LOG.error("this node claims nothing more: {}", failure.getMessage());
    shared.health().stopped("a newer Weir process has taken over this store; stop this one");
    ended(claim.partition);
  }

  /** Which of them it is shows when each is claimed alone; the others go on. */
  private void onBroken(Claim claim, Throwable failure) {
    Partition partition = claim.partition;
    if (claim.requests.size() > 1) {
      partition.singly = claim.requests.size();
      claim.requests.forEach(request -> answerEmpty(request.subscriber(), 0));
    } else {
      String subscriber = claim.requests.get(0).subscriber();
      LOG.error("claiming for subscriber {} failed; again in 5 s", subscriber, failure);
      answerEmpty(subscriber, BROKEN_MS);
    }
    ended(partition);
  }

  private void answerEmpty(String subscriber, long nextInMs) {
    if (registry.get(subscriber) != null) {
      ClaimReply nothing = new ClaimReply(subscriber, List.of(), Limit.EMPTY, nextInMs, -1);
      send(
          subscriber,
          new SubscriberProtocol.Work(nothing, System.nanoTime(), times.horizonNanos()));
    }
  }

  private void repeatLater(Claim claim, Throwable failure) {
    if (!claim.partition.backoff.isFailing()) {
      LOG.warn(
          "claim in partition {} failed, repeating: {}",
          claim.partition.number,
          failure.toString());
    }
    vertx.setTimer(claim.partition.backoff.next(), now -> repeat(claim));
    pump();
  }

  /** Without a turn: a partition whose store is away must not take those of the others. */
  private void repeat(Claim claim) {
    if (shared.inDoubt().is(claim.partition.number)) {
      vertx.setTimer(AGAIN_MS, now -> repeat(claim));
    } else {
      ask(claim).onComplete(answer -> onAnswer(claim, answer));
    }
  }

  // Drain

  private boolean isDraining() {
    return drain != null;
  }

  private void onDrain(Drain order, Message<?> message) {
    drain = message;
    drainResetAtNanos = order.resetAtNanos();
    toActivate.clear();
    for (Partition partition : partitions) {
      partition.demand.clear();
    }
    for (String subscriber : registry.active()) {
      send(subscriber, new SubscriberProtocol.Drain(order.resetAtNanos()));
    }
    finishDrain();
  }

  private void finishDrain() {
    Message<?> order = drain;
    if (order != null && !drained && registry.isEmpty() && claimsUnderWay == 0) {
      drained = true;
      order.reply(new Drained(), Addresses.LOCAL);
    }
  }

  private void send(String subscriber, SubscriberProtocol message) {
    vertx.eventBus().send(Addresses.subscriber(subscriber), message, Addresses.LOCAL);
  }
}
