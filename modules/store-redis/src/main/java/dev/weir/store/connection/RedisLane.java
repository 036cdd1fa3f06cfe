package dev.weir.store.connection;

import dev.weir.protocol.store.StoreException;
import dev.weir.protocol.store.StoreException.Kind;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.internal.ContextInternal;
import io.vertx.core.internal.VertxInternal;
import io.vertx.core.net.NetClientOptions;
import io.vertx.redis.client.Command;
import io.vertx.redis.client.ProtocolVersion;
import io.vertx.redis.client.Redis;
import io.vertx.redis.client.RedisConnection;
import io.vertx.redis.client.RedisOptions;
import io.vertx.redis.client.Request;
import io.vertx.redis.client.Response;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One held connection to Redis, bound to one event loop, that replaces itself when it breaks.
 *
 * <p>Commands are pipelined in the order of their calls. While there is no connection they fail at
 * once with {@code UNAVAILABLE}: a queue would hide the outage and grow without bound. The one
 * exception is the very first connect of a lane, which its first commands wait for (at most {@code
 * connectDeadline}). A command without a reply by its deadline takes the connection down with it,
 * since its reply slot would stay in the pipeline and shift every answer after it. Nothing is ever
 * repeated here.
 *
 * <p>Methods may be called from any thread; futures complete on the caller's context. All fields
 * that aren't volatile are touched on the lane's own context only. That context belongs to no
 * deployment, so that the undeployment of the verticle that happened to call first closes nothing.
 */
public final class RedisLane {

  private static final Logger LOG = LoggerFactory.getLogger(RedisLane.class);

  /** Finds a peer that vanished without a word while no command was due, so health is honest. */
  private static final long HEARTBEAT_MS = 1_000;

  /** A connection that lived this long was a good one, whatever ended it. */
  private static final long PROVEN_NANOS = 1_000_000_000L;

  /** A deadline timer this late means that our loop was busy, not that Redis was. */
  private static final long BUSY_LOOP_NANOS = 200_000_000L;

  private static final long BUSY_LOOP_GRACE_MS = 50;

  private final VertxInternal vertx;
  private final ContextInternal context;
  private final RedisUrl url;
  private final LaneOptions options;
  private final OutageLog outages;
  private final List<Runnable> reconnectHooks = new CopyOnWriteArrayList<>();
  private final Map<String, Future<Response>> loading = new HashMap<>();
  private final Set<Promise<Void>> waiters = ConcurrentHashMap.newKeySet();

  private @Nullable Session session;
  private @Nullable Promise<Void> firstAttempt = Promise.promise();
  private int waitingForFirst;
  private int failedAttempts;
  private boolean everConnected;
  private volatile boolean connected;
  private volatile boolean closed;
  private volatile String reason = "the first connection is being opened";

  RedisLane(ContextInternal context, RedisUrl url, LaneOptions options, OutageLog outages) {
    this.vertx = context.owner();
    this.context = context;
    this.url = url;
    this.options = options;
    this.outages = outages;
  }

  void open() {
    context.runOnContext(now -> connect());
  }

  /**
   * Sends one command.
   *
   * @return the reply, null for Redis' nil; fails with {@link StoreException} and nothing else
   */
  public Future<Response> send(Request request) {
    String operation = request.command().toString().toLowerCase(Locale.ROOT);
    return submit(operation, request, null);
  }

  /**
   * Runs a script by its digest, and loads it first where Redis doesn't know it (a fresh server, a
   * flush).
   *
   * @param args each a String, Buffer, byte[], Integer or Long
   * @return the reply, null for a script that returns nil; fails with {@link StoreException} and
   *     nothing else
   */
  public Future<Response> eval(Script script, List<String> keys, List<?> args) {
    return submit(
        script.name(),
        call(Command.EVALSHA, script.sha1(), keys, args),
        missing -> loadAndRepeat(script, keys, args, missing));
  }

  /** Whether a command sent now has a connection to go to. */
  public boolean connected() {
    return connected;
  }

  /** Why there is no connection, for people; meaningless while {@link #connected()}. */
  public String reason() {
    return reason;
  }

  /**
   * Completes when the lane is connected; fails with {@code UNAVAILABLE} and the reason when it
   * isn't by then. For the start of a process, which wants to wait and to know why.
   */
  public Future<Void> whenConnected(Duration within) {
    Promise<Void> promise = vertx.getOrCreateContext().promise();
    onLane(promise, () -> awaitConnected(promise, Math.max(1, within.toMillis())));
    return promise.future();
  }

  /**
   * Has {@code hook} run, on the lane's context, each time a connection replaces a lost one: what
   * was in flight at the loss may have happened or not.
   */
  public void onReconnect(Runnable hook) {
    reconnectHooks.add(hook);
  }

  /** Fails what is in flight with {@code UNAVAILABLE} and refuses everything from now on. */
  Future<Void> close() {
    Promise<Void> promise = vertx.getOrCreateContext().promise();
    closed = true;
    onLane(
        promise,
        () -> {
          lose("the lane was closed");
          reason = "the lane was closed";
          endFirstAttempt();
          List.copyOf(waiters).forEach(this::failWaiter);
          outages.forget(this);
          promise.tryComplete();
        });
    return promise.future();
  }

  // Commands

  private Future<Response> submit(
      String operation, Request request, @Nullable NoScriptHandler noScript) {
    Promise<Response> promise = vertx.getOrCreateContext().promise();
    onLane(promise, () -> dispatch(new Pending(operation, request, promise, noScript)));
    return promise.future();
  }

  private void dispatch(Pending pending) {
    Session current = session;
    if (current != null) {
      current.send(pending);
    } else if (firstAttempt != null && !closed && waitingForFirst < options.maxInFlight()) {
      waitingForFirst++;
      firstAttempt.future().onComplete(ended -> guarded(pending.promise, () -> dispatch(pending)));
    } else {
      pending.fail(Kind.UNAVAILABLE, "not connected to Redis at " + url.address() + ": " + reason);
    }
  }

  private void loadAndRepeat(Script script, List<String> keys, List<?> args, Pending missing) {
    load(script)
        .onComplete(
            loaded ->
                missing.repeat(
                    this,
                    call(Command.EVALSHA, script.sha1(), keys, args),
                    again ->
                        again.repeat(this, call(Command.EVAL, script.source(), keys, args), null)),
            missing.promise::tryFail);
  }

  /** One load at a time and script: a flush under load is answered by thousands of NOSCRIPTs. */
  private Future<Response> load(Script script) {
    Future<Response> running = loading.get(script.sha1());
    if (running != null) {
      return running;
    }
    Promise<Response> promise = context.promise();
    Request request = Request.cmd(Command.SCRIPT).arg("LOAD").arg(script.source());
    loading.put(script.sha1(), promise.future());
    promise.future().onComplete(done -> loading.remove(script.sha1()));
    dispatch(new Pending("load " + script.name(), request, promise, null));
    return promise.future();
  }

  private static Request call(Command command, String what, List<String> keys, List<?> args) {
    Request request = Request.cmd(command).arg(what).arg(keys.size());
    keys.forEach(request::arg);
    for (Object arg : args) {
      append(request, arg);
    }
    return request;
  }

  private static void append(Request request, Object arg) {
    if (arg instanceof String text) {
      request.arg(text);
    } else if (arg instanceof Buffer buffer) {
      request.arg(buffer);
    } else if (arg instanceof byte[] bytes) {
      request.arg(bytes);
    } else if (arg instanceof Long || arg instanceof Integer) {
      request.arg(((Number) arg).longValue());
    } else {
      throw new IllegalArgumentException(
          "a script's argument is a String, Buffer, byte[], Integer or Long, not "
              + arg.getClass().getName());
    }
  }

  // Connecting

  private void connect() {
    if (closed) {
      endFirstAttempt();
      return;
    }
    Redis client = Redis.createClient(vertx, clientOptions());
    client
        .connect()
        .timeout(options.connectDeadline().toMillis(), TimeUnit.MILLISECONDS)
        .onComplete(
            connection -> connected(client, connection), failure -> notConnected(client, failure));
  }

  private void connected(Redis client, RedisConnection connection) {
    if (closed) {
      client.close();
      endFirstAttempt();
      return;
    }
    session = new Session(client, connection);
    session.open();
    connected = true;
    outages.up(this);
    // Hooks first: what they send to clear up goes ahead of everyone's next commands.
    if (everConnected) {
      reconnectHooks.forEach(RedisLane::runGuarded);
    }
    everConnected = true;
    endFirstAttempt();
    List.copyOf(waiters).forEach(Promise::tryComplete);
  }

  private void notConnected(Redis client, Throwable failure) {
    // A client of its own per attempt: closing it is the one way to be rid of a socket whose HELLO
    // is never answered, since closing a connection hands it back to its pool, alive.
    client.close();
    reason = RedisFailure.sentence(failure);
    if (closed) {
      endFirstAttempt();
      return;
    }
    outages.down(this, reason);
    endFirstAttempt();
    connectLater();
  }

  private void connectLater() {
    long capMs =
        Math.min(
            options.backoffCap().toMillis(),
            options.backoffFloor().toMillis() << Math.min(failedAttempts, 20));
    failedAttempts++;
    long delayMs = ThreadLocalRandom.current().nextLong(capMs / 2, capMs + 1);
    vertx.setTimer(Math.max(1, delayMs), due -> connect());
  }

  /** Ends the session, if there is one, with everything that awaits a reply in it. */
  private void lose(String why) {
    Session lost = session;
    if (lost == null) {
      return;
    }
    session = null;
    connected = false;
    reason = why;
    if (!closed) {
      outages.down(this, why);
    }
    if (lost.proven()) {
      failedAttempts = 0;
    }
    lost.end(why);
    if (!closed) {
      connectLater();
    }
  }

  private void endFirstAttempt() {
    Promise<Void> first = firstAttempt;
    if (first != null) {
      firstAttempt = null;
      first.complete();
    }
  }

  private void awaitConnected(Promise<Void> promise, long withinMs) {
    if (connected) {
      promise.tryComplete();
      return;
    }
    if (closed) {
      failWaiter(promise);
      return;
    }
    waiters.add(promise);
    long timer = vertx.setTimer(withinMs, due -> failWaiter(promise));
    promise
        .future()
        .onComplete(
            end -> {
              waiters.remove(promise);
              vertx.cancelTimer(timer);
            });
  }

  private void failWaiter(Promise<Void> promise) {
    promise.tryFail(
        new StoreException(
            Kind.UNAVAILABLE, "connect", "Redis at " + url.address() + ": " + reason, null));
  }

  private RedisOptions clientOptions() {
    NetClientOptions net =
        new NetClientOptions()
            .setTcpKeepAlive(true)
            .setTcpNoDelay(true)
            .setConnectTimeout((int) options.connectDeadline().toMillis());
    if (url.tls()) {
      net.setHostnameVerificationAlgorithm("HTTPS");
    }
    return new RedisOptions()
        .setConnectionString(url.connectionString())
        // RESP3 would turn some replies into maps; scripts and readers here know one shape.
        .setPreferredProtocolVersion(ProtocolVersion.RESP2)
        .setMaxWaitingHandlers(options.maxInFlight() + 8)
        .setMaxPoolSize(1)
        .setMaxPoolWaiting(1)
        .setPoolCleanerInterval(-1)
        .setNetClientOptions(net);
  }

  // Threads

  private void onLane(Promise<?> promise, Runnable action) {
    try {
      context.emit(now -> guarded(promise, action));
    } catch (RejectedExecutionException e) {
      promise.tryFail(
          new StoreException(Kind.UNAVAILABLE, "redis", "the event loop is shut down", e));
    }
  }

  /** A fault of ours must fail the one call, not leave its future open for ever. */
  private static void guarded(Promise<?> promise, Runnable action) {
    try {
      action.run();
    } catch (RuntimeException e) {
      promise.tryFail(new StoreException(Kind.BROKEN, "redis", String.valueOf(e.getMessage()), e));
    }
  }

  private static void runGuarded(Runnable hook) {
    try {
      hook.run();
    } catch (RuntimeException e) {
      LOG.error("A reconnect hook failed", e);
    }
  }

  /** What to do with a script that Redis doesn't know. */
  private interface NoScriptHandler {
    void handle(Pending missing);
  }

  /** A command on its way. */
  private static final class Pending {
    private final String operation;
    private final Request request;
    private final Promise<Response> promise;
    private final @Nullable NoScriptHandler noScript;
    private long dueNanos;
    private boolean done;

    Pending(
        String operation,
        Request request,
        Promise<Response> promise,
        @Nullable NoScriptHandler noScript) {
      this.operation = operation;
      this.request = request;
      this.promise = promise;
      this.noScript = noScript;
    }

    void repeat(RedisLane lane, Request other, @Nullable NoScriptHandler next) {
      lane.dispatch(new Pending(operation, other, promise, next));
    }

    void fail(Kind kind, String detail) {
      promise.tryFail(new StoreException(kind, operation, detail, null));
    }
  }

  /**
   * The life of one connection. Its own queue, so that a late reply can't touch its successor's.
   */
  private final class Session {
    private final Redis client;
    private final RedisConnection connection;
    private final ArrayDeque<Pending> inFlight = new ArrayDeque<>();
    private final long sinceNanos = System.nanoTime();
    private boolean answered;
    private boolean wrongServer;
    private long heartbeat = -1;
    private long deadlineTimer = -1;

    Session(Redis client, RedisConnection connection) {
      this.client = client;
      this.connection = connection;
    }

    void open() {
      // A clean close of the peer comes to one of the two handlers, a broken socket to the other.
      connection.endHandler(end -> drop("Redis closed the connection"));
      connection.exceptionHandler(
          failure -> drop("the connection failed: " + RedisFailure.sentence(failure)));
      heartbeat = vertx.setPeriodic(HEARTBEAT_MS, due -> beat());
    }

    void send(Pending pending) {
      if (inFlight.size() >= options.maxInFlight()) {
        pending.fail(Kind.UNAVAILABLE, inFlight.size() + " commands await a reply, no more fit");
        return;
      }
      Future<Response> reply = connection.send(pending.request);
      pending.dueNanos = System.nanoTime() + options.commandDeadline().toNanos();
      inFlight.add(pending);
      reply.onComplete(
          response -> answered(pending, response), failure -> failed(pending, failure));
      armDeadline();
    }

    /**
     * Before anything else, so that whoever is told of the end finds the lane already without it.
     */
    void end(String why) {
      vertx.cancelTimer(heartbeat);
      vertx.cancelTimer(deadlineTimer);
      connection.endHandler(null);
      connection.exceptionHandler(null);
      client.close();
      String detail = why + "; whether the command ran is not known";
      for (Pending pending : List.copyOf(inFlight)) {
        pending.fail(Kind.UNAVAILABLE, detail);
      }
      inFlight.clear();
    }

    private void answered(Pending pending, Response response) {
      answered = true;
      done(pending);
      pending.promise.tryComplete(response);
    }

    private void failed(Pending pending, Throwable failure) {
      done(pending);
      if (pending.noScript != null && RedisFailure.isNoScript(failure)) {
        NoScriptHandler handler = pending.noScript;
        guarded(pending.promise, () -> handler.handle(pending));
        return;
      }
      RedisFailure meaning = RedisFailure.of(failure);
      if (meaning.drop()) {
        wrongServer = meaning.wrongServer();
        drop(meaning.detail());
      }
      pending.promise.tryFail(meaning.exception(pending.operation, failure));
    }

    private void done(Pending pending) {
      pending.done = true;
      // Redis answers in order, so the head is the oldest: the one whose deadline counts.
      while (!inFlight.isEmpty() && inFlight.peek().done) {
        inFlight.poll();
      }
    }

    /**
     * Whether the next reconnect may start from the floor. One reply is proof enough, unless the
     * server is the wrong one: a replica takes every connection and refuses every write.
     */
    boolean proven() {
      return System.nanoTime() - sinceNanos >= PROVEN_NANOS || (answered && !wrongServer);
    }

    private void drop(String why) {
      if (session == this) {
        lose(why);
      }
    }

    private void beat() {
      if (session == this && inFlight.isEmpty()) {
        Promise<Response> unwatched = context.promise();
        send(new Pending("ping", Request.cmd(Command.PING), unwatched, null));
      }
    }

    /** One timer for the head, whatever the number of commands. */
    private void armDeadline() {
      Pending head = inFlight.peek();
      if (deadlineTimer == -1 && head != null && session == this) {
        schedule(head.dueNanos, head.dueNanos - System.nanoTime());
      }
    }

    private void schedule(long expectedNanos, long inNanos) {
      long ms = Math.max(1, TimeUnit.NANOSECONDS.toMillis(inNanos) + 1);
      deadlineTimer = vertx.setTimer(ms, fired -> checkDeadline(expectedNanos));
    }

    private void checkDeadline(long expectedNanos) {
      deadlineTimer = -1;
      Pending head = inFlight.peek();
      long now = System.nanoTime();
      if (head == null || now - head.dueNanos < 0) {
        armDeadline();
      } else if (now - expectedNanos > BUSY_LOOP_NANOS) {
        // Timers run before the sockets are read: the reply may lie there unread.
        long graceNanos = TimeUnit.MILLISECONDS.toNanos(BUSY_LOOP_GRACE_MS);
        schedule(now + graceNanos, graceNanos);
      } else {
        drop(
            "no reply to '"
                + head.operation
                + "' within "
                + options.commandDeadline().toMillis()
                + " ms");
      }
    }
  }
}
