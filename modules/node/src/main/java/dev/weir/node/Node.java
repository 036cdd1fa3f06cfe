package dev.weir.node;

import dev.weir.node.attempt.HttpClients;
import dev.weir.protocol.bus.Addresses;
import dev.weir.protocol.bus.DispatcherProtocol;
import dev.weir.protocol.bus.LocalCodecs;
import dev.weir.protocol.bus.Wakes;
import dev.weir.protocol.store.Store;
import io.micrometer.core.instrument.MeterRegistry;
import io.vertx.core.Deployable;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.eventbus.DeliveryOptions;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The delivering half of a Weir process: its verticles, deployed in order and drained in the other.
 * One per Vert.x instance.
 *
 * <p>What the application sets on Vert.x: the event loop pool size that {@link NodeConfig#lanes()}
 * repeats, and a negative DNS cache of at most 2 s, see {@link HttpClients}.
 */
public final class Node {

  private static final Logger LOG = LoggerFactory.getLogger(Node.class);

  private static final int INCARNATION_BYTES = 6;

  /** Of the drain time: left for settlements once the last exchanges were reset. */
  private static final long FLUSH_SHARE = 10;

  private final Vertx vertx;
  private final Shared shared;
  private final BusWakes wakes;
  private final List<String> deployed = Collections.synchronizedList(new ArrayList<>());

  private Node(Vertx vertx, Shared shared) {
    this.vertx = vertx;
    this.shared = shared;
    this.wakes = new BusWakes(vertx.eventBus(), shared.config().lanes());
  }

  /** What a node is built from. */
  public record Parts(
      NodeConfig config,
      Store store,
      MeterRegistry registry,
      Checkpoints checkpoints,
      BooleanSupplier keepTraces) {

    /** Nothing is watched, every trace is kept. */
    public static Parts of(NodeConfig config, Store store, MeterRegistry registry) {
      return new Parts(config, store, registry, Checkpoints.NONE, () -> true);
    }
  }

  /**
   * Deploys the verticles. Completes when they can be reached; claims begin once the store has
   * given an epoch, see {@link #health()}.
   */
  public static Future<Node> start(Vertx vertx, Parts parts) {
    LocalCodecs.register(vertx.eventBus());
    NodeConfig config = parts.config();
    Shared shared =
        new Shared(
            config,
            parts.store(),
            new BusQuotaShares(vertx.eventBus()),
            new HttpClients(vertx, config.lanes(), config.maxPerEndpoint()),
            new Budget(config.maxAttempts(), config.maxBodyBytes()),
            new InDoubt(parts.store().deliveries().partitions()),
            new NodeMetrics(parts.registry()),
            new NodeHealth(),
            parts.checkpoints(),
            WallClock.now(),
            incarnation(),
            parts.keepTraces());
    Node node = new Node(vertx, shared);
    return node.deployAll().map(node);
  }

  private static String incarnation() {
    byte[] bytes = new byte[INCARNATION_BYTES];
    new SecureRandom().nextBytes(bytes);
    return HexFormat.of().formatHex(bytes);
  }

  private Future<Void> deployAll() {
    Future<Void> chain = deploy(new QuotaVerticle(shared.store().config()));
    for (int lane = 0; lane < shared.config().lanes(); lane++) {
      RetryVerticle retry = new RetryVerticle(lane, shared);
      DispatcherVerticle dispatcher = new DispatcherVerticle(lane, shared);
      chain = chain.compose(next -> deploy(retry)).compose(next -> deploy(dispatcher));
    }
    return chain.compose(next -> deploy(new HomeVerticle(shared, wakes)));
  }

  private Future<Void> deploy(Deployable verticle) {
    return vertx.deployVerticle(verticle).onSuccess(deployed::add).mapEmpty();
  }

  /** Where the API leaves its hints. */
  public Wakes wakes() {
    return wakes;
  }

  /** Whether this node delivers; says nothing of the store's own health. */
  public Store.Health health() {
    String reason = shared.health().reason();
    return new Store.Health(reason.isEmpty(), reason);
  }

  /**
   * Stops in good order: claims nothing more, gives back what isn't started, lets exchanges finish
   * while {@code within} lasts, resets the rest (ambiguous, uncounted), writes down every outcome,
   * and undeploys. Completes when that is done, at the latest after {@code within}: should the
   * store be away, its leases end by themselves.
   */
  public Future<Void> drain(Duration within) {
    long flushMs = Math.min(RetryVerticle.MAX_FLUSH_MS, within.toMillis() / FLUSH_SHARE);
    long resetAtNanos =
        System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(within.toMillis() - 2 * flushMs);
    shared.health().stopped("draining: this node is about to exit");
    DeliveryOptions patient =
        new DeliveryOptions(Addresses.LOCAL)
            .setSendTimeout(Math.max(1, within.toMillis() - flushMs));
    List<Future<?>> lanes = new ArrayList<>();
    for (int lane = 0; lane < shared.config().lanes(); lane++) {
      lanes.add(
          vertx
              .eventBus()
              .request(
                  Addresses.dispatcher(lane), new DispatcherProtocol.Drain(resetAtNanos), patient));
    }
    return Future.join(lanes)
        .onFailure(late -> LOG.warn("not all deliveries could be settled in the drain time"))
        .transform(done -> undeployAll(flushMs))
        .compose(done -> shared.clients().close());
  }

  private Future<Void> undeployAll(long withinMs) {
    Future<Void> chain = Future.succeededFuture();
    List<String> newestFirst = new ArrayList<>(deployed);
    Collections.reverse(newestFirst);
    deployed.clear();
    for (String id : newestFirst) {
      chain = chain.compose(next -> vertx.undeploy(id)).otherwiseEmpty();
    }
    return chain.timeout(Math.max(1, withinMs), TimeUnit.MILLISECONDS).otherwiseEmpty();
  }
}
