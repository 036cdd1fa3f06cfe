package dev.weir.store.connection;

import dev.weir.protocol.store.Store.Health;
import io.netty.channel.EventLoop;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.internal.ContextInternal;
import io.vertx.core.internal.VertxInternal;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * The lanes of one process to one Redis: one per event loop that asked, opened on demand, so that a
 * command never changes threads on its way. Thread-safe.
 */
public final class RedisLanes {

  private final VertxInternal vertx;
  private final RedisUrl url;
  private final LaneOptions options;
  private final OutageLog outages;
  private final Map<EventLoop, RedisLane> lanes = new ConcurrentHashMap<>();
  private final List<Runnable> reconnectHooks = new CopyOnWriteArrayList<>();
  private volatile boolean closed;

  public RedisLanes(Vertx vertx, RedisUrl url, LaneOptions options) {
    this.vertx = (VertxInternal) vertx;
    this.url = url;
    this.options = options;
    this.outages = new OutageLog(url.address());
  }

  /** The lane of the current context; outside of Vert.x, that of a context made for the thread. */
  public RedisLane lane() {
    EventLoop loop = vertx.getOrCreateContext().nettyEventLoop();
    RedisLane lane = lanes.get(loop);
    return lane != null ? lane : lanes.computeIfAbsent(loop, this::open);
  }

  /** Has {@code hook} run each time any lane, of now or later, replaced a lost connection. */
  public void onReconnect(Runnable hook) {
    reconnectHooks.add(hook);
  }

  /** Ready when every lane is connected; a lane that nobody opened yet says nothing. */
  public Health health() {
    if (closed) {
      return new Health(false, "the connections to Redis are closed");
    }
    return lanes.values().stream()
        .filter(lane -> !lane.connected())
        .findAny()
        .map(lane -> new Health(false, "Redis at " + url.address() + ": " + lane.reason()))
        .orElseGet(() -> new Health(true, ""));
  }

  /** Closes every lane; commands fail from now on, those in flight too. */
  public Future<Void> close() {
    closed = true;
    return Future.join(lanes.values().stream().map(RedisLane::close).toList()).mapEmpty();
  }

  private RedisLane open(EventLoop loop) {
    ContextInternal context = vertx.contextBuilder().withEventLoop(loop).build();
    RedisLane lane = new RedisLane(context, url, options, outages);
    lane.onReconnect(() -> reconnectHooks.forEach(Runnable::run));
    if (closed) {
      lane.close();
    } else {
      lane.open();
    }
    return lane;
  }
}
