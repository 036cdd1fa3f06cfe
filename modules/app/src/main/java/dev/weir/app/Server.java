package dev.weir.app;

import dev.weir.api.ApiConfig;
import dev.weir.api.ApiPorts;
import dev.weir.api.ApiVerticle;
import dev.weir.app.config.ListenAddress;
import dev.weir.app.config.WeirConfig;
import dev.weir.node.Checkpoints;
import dev.weir.node.Node;
import dev.weir.protocol.store.Store;
import dev.weir.store.RedisStore;
import dev.weir.store.connection.EmbeddedRedis;
import dev.weir.store.connection.RedisLanes;
import dev.weir.store.connection.RedisUrl;
import dev.weir.store.connection.StartupChecks;
import io.vertx.core.DeploymentOptions;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.dns.AddressResolverOptions;
import io.vertx.core.file.FileSystemOptions;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One node's parts, started one upon the other and stopped in reverse: Redis, Vert.x, store, node,
 * API. Starting and stopping block their caller and may be called from different threads; a stop
 * during the start waits for the part that is being started and stops what there is.
 */
final class Server {

  private static final Logger LOG = LoggerFactory.getLogger(Server.class);

  /** Of one part; what takes longer won't come. */
  private static final Duration PART_LIMIT = Duration.ofSeconds(15);

  /** Beyond the drain time: settles of the last attempts, closing. */
  private static final Duration DRAIN_MARGIN = Duration.ofSeconds(5);

  /**
   * A name that couldn't be resolved may be there a moment later; longer, and a restart of
   * somebody's DNS would cost deliveries their backoff. The node relies on it.
   */
  private static final int NEGATIVE_DNS_TTL_SECONDS = 2;

  /** A turn of an event loop that takes this long delays every subscriber of the loop. */
  private static final long SLOW_TURN_MS = 500;

  /** From here on the log has the stack as well. */
  private static final long STUCK_TURN_MS = 2_000;

  private final WeirConfig config;
  private final Checkpoints checkpoints;
  private final Metrics metrics = new Metrics();
  private final Deque<Part> started = new ArrayDeque<>();
  private volatile boolean stopping;
  private int port;

  /** What was started, and how it is stopped. */
  private record Part(String name, Runnable stop) {}

  Server(WeirConfig config, Checkpoints checkpoints) {
    this.config = config;
    this.checkpoints = checkpoints;
  }

  /**
   * Returns when the node takes publishes.
   *
   * @throws StartupException when it can't; what was started is stopped again
   */
  void start() {
    try {
      RedisUrl redis = redis();
      Vertx vertx = vertx();
      RedisStore store = store(vertx, redis);
      Node node = node(vertx, store);
      port = api(vertx, store, node);
      awaitDelivering(node);
    } catch (RuntimeException e) {
      stop();
      throw Refusals.of(e);
    }
  }

  /** Where the API is, for people and clients. */
  String url() {
    return "http://" + config.http().authority(port);
  }

  /** Stops what was started, newest first; a part that fails to stop doesn't keep the others. */
  synchronized void stop() {
    stopping = true;
    while (!started.isEmpty()) {
      Part part = started.pop();
      try {
        part.stop().run();
      } catch (RuntimeException e) {
        LOG.warn("The {} did not stop in good order: {}", part.name(), e.toString());
      }
    }
  }

  private RedisUrl redis() {
    if (config.redis().url().isPresent()) {
      return config.redis().url().get();
    }
    EmbeddedRedis redis =
        part(
            "embedded Redis",
            () -> EmbeddedRedis.start(config.data().dir(), config.data().fsync()),
            EmbeddedRedis::stop);
    return redis.url();
  }

  private Vertx vertx() {
    return part(
        "event loops",
        () -> Vertx.vertx(vertxOptions()),
        vertx -> await(vertx.close(), PART_LIMIT));
  }

  private RedisStore store(Vertx vertx, RedisUrl redis) {
    RedisLanes lanes =
        part(
            "connections to Redis",
            () -> new RedisLanes(vertx, redis, config.redis().lanes()),
            open -> await(open.close(), PART_LIMIT));
    int partitions = config.store().partitions();
    return part(
        "store",
        () -> {
          await(StartupChecks.run(lanes.lane(), partitions), PART_LIMIT);
          return await(
              RedisStore.open(vertx, lanes, config.store().settings(), partitions), PART_LIMIT);
        },
        store -> await(store.close(), PART_LIMIT));
  }

  private Node node(Vertx vertx, RedisStore store) {
    Node.Parts parts =
        new Node.Parts(
            config.node().settings(), store, metrics.registry(), checkpoints, () -> true);
    Duration drain = config.node().drain();
    return part(
        "node",
        () -> await(Node.start(vertx, parts), PART_LIMIT),
        node -> await(node.drain(drain), drain.plus(DRAIN_MARGIN)));
  }

  /** One instance per event loop; but a port that is chosen at listening can't be shared. */
  private int api(Vertx vertx, RedisStore store, Node node) {
    ListenAddress address = config.http();
    ApiConfig apiConfig = ApiConfig.on(address.host(), address.port());
    ApiPorts ports =
        new ApiPorts(
            store,
            node.wakes(),
            metrics.apiEvents(),
            metrics::scrape,
            () -> node.health().ready() ? store.health() : worse(store.health(), node.health()),
            InstantSource.system());
    List<ApiVerticle> instances = new CopyOnWriteArrayList<>();
    Supplier<ApiVerticle> instance =
        () -> {
          ApiVerticle api = new ApiVerticle(apiConfig, ports);
          instances.add(api);
          return api;
        };
    DeploymentOptions options =
        new DeploymentOptions()
            .setInstances(address.port() == 0 ? 1 : config.node().settings().lanes());
    part(
        "API",
        () ->
            await(
                vertx
                    .deployVerticle(instance, options)
                    .recover(failure -> Future.failedFuture(Refusals.cantListen(address, failure))),
                PART_LIMIT),
        id -> await(vertx.undeploy(id), PART_LIMIT));
    return instances.get(0).port();
  }

  /** Without its store a node can't begin: that is the reason to tell. */
  private static Store.Health worse(Store.Health store, Store.Health node) {
    return store.ready() ? node : store;
  }

  /** The epoch is taken after the verticles are up; before that the node is there but not ready. */
  private static void awaitDelivering(Node node) {
    long untilNanos = System.nanoTime() + PART_LIMIT.toNanos();
    while (!node.health().ready()) {
      if (System.nanoTime() > untilNanos) {
        throw new StartupException("the node is not ready: " + node.health().reason());
      }
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(5));
    }
  }

  /**
   * Starts a part and notes how to stop it. In one step with respect to {@link #stop()}: a part
   * that was started is stopped, and none is started after a stop.
   */
  private synchronized <T> T part(String name, Supplier<T> start, Consumer<T> stop) {
    if (stopping) {
      throw new StartupException("told to stop before it was ready");
    }
    T part = start.get();
    started.push(new Part(name, () -> stop.accept(part)));
    return part;
  }

  private VertxOptions vertxOptions() {
    return new VertxOptions()
        .setEventLoopPoolSize(config.node().settings().lanes())
        .setPreferNativeTransport(false)
        .setAddressResolverOptions(
            new AddressResolverOptions().setCacheNegativeTimeToLive(NEGATIVE_DNS_TTL_SECONDS))
        .setFileSystemOptions(
            new FileSystemOptions()
                .setFileCachingEnabled(false)
                .setClassPathResolvingEnabled(false))
        .setMaxEventLoopExecuteTimeUnit(TimeUnit.MILLISECONDS)
        .setMaxEventLoopExecuteTime(SLOW_TURN_MS)
        .setWarningExceptionTimeUnit(TimeUnit.MILLISECONDS)
        .setWarningExceptionTime(STUCK_TURN_MS);
  }

  private static <T> T await(Future<T> future, Duration limit) {
    try {
      return future
          .toCompletionStage()
          .toCompletableFuture()
          .get(limit.toMillis(), TimeUnit.MILLISECONDS);
    } catch (ExecutionException e) {
      throw Refusals.of(e.getCause() == null ? e : e.getCause());
    } catch (TimeoutException e) {
      throw new StartupException("no answer within " + limit.toSeconds() + " s", e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new StartupException("interrupted", e);
    }
  }
}
