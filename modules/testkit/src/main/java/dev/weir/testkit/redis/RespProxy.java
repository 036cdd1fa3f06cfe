package dev.weir.testkit.redis;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.HexFormat;
import java.util.Locale;
import java.util.Map;
import java.util.Queue;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/**
 * A loopback proxy between a client and Redis that loses chosen replies: Redis has run the script,
 * the client never learns of it. A reply is lost by closing the client's connection in its place,
 * as a network would; replies before it arrive, whatever was pipelined behind it is lost with it
 * and counted apart. Each connection has its own connection to Redis.
 *
 * <p>Replies to scripts are recognised by the digest in EVALSHA, or of the source in EVAL. A
 * NOSCRIPT answer is no run, and is neither counted nor dropped. Thread-safe.
 */
public final class RespProxy implements AutoCloseable {

  private final int redisPort;
  private final ServerSocket server;
  private final Set<Link> links = ConcurrentHashMap.newKeySet();
  private final Map<String, Drops> drops = new ConcurrentHashMap<>();
  private final Map<String, AtomicLong> runs = new ConcurrentHashMap<>();
  private final Map<String, AtomicLong> dropped = new ConcurrentHashMap<>();
  private final AtomicLong requests = new AtomicLong();
  private final AtomicLong replies = new AtomicLong();
  private final AtomicLong lostBehind = new AtomicLong();
  private volatile boolean refusing;
  private volatile long delayNanos;

  private RespProxy(int redisPort, ServerSocket server) {
    this.redisPort = redisPort;
    this.server = server;
  }

  /** Listens on a free loopback port for a Redis on {@code redisPort}. */
  public static RespProxy to(int redisPort) {
    try {
      ServerSocket server = new ServerSocket(0, 128, InetAddress.getLoopbackAddress());
      RespProxy proxy = new RespProxy(redisPort, server);
      daemon("resp-proxy-accept", proxy::accept);
      return proxy;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  public int port() {
    return server.getLocalPort();
  }

  /** Loses the reply of the n-th run from now (1 is the next) of the script with this digest. */
  public void dropNth(String sha1, int n) {
    AtomicLong countdown = new AtomicLong(n);
    drops.put(sha1, () -> countdown.decrementAndGet() == 0);
  }

  /** Loses each reply of the script with probability {@code p}, until {@link #dropNone()}. */
  public void dropEach(String sha1, double p, long seed) {
    Random random = new Random(seed);
    drops.put(
        sha1,
        () -> {
          synchronized (random) {
            return random.nextDouble() < p;
          }
        });
  }

  public void dropNone() {
    drops.clear();
  }

  /** Lets each reply arrive this much later; the order stays, and replies don't wait in line. */
  public void delayReplies(Duration delay) {
    delayNanos = delay.toNanos();
  }

  /** Closes every connection; new ones are taken. */
  public void cutAll() {
    links.forEach(Link::close);
  }

  /** Closes new connections at once, or takes them again. */
  public void refuse(boolean refuse) {
    refusing = refuse;
  }

  /** Requests passed on to Redis. */
  public long requests() {
    return requests.get();
  }

  /** Replies passed on to clients. */
  public long replies() {
    return replies.get();
  }

  /** Runs of the script whose reply came from Redis, passed on or lost. */
  public long runs(String sha1) {
    return count(runs, sha1);
  }

  /** Replies of the script that were lost on demand. */
  public long dropped(String sha1) {
    return count(dropped, sha1);
  }

  /** Replies lost on demand, of all scripts. */
  public long dropped() {
    return dropped.values().stream().mapToLong(AtomicLong::get).sum();
  }

  /** Requests passed on whose reply went down with a connection, not counting those dropped. */
  public long lostBehind() {
    return lostBehind.get();
  }

  @Override
  public void close() {
    refusing = true;
    try {
      server.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    cutAll();
  }

  private void accept() {
    while (!server.isClosed()) {
      try {
        Socket client = server.accept();
        if (refusing) {
          client.close();
        } else {
          link(client);
        }
      } catch (IOException e) {
        // Closed by close(); anything else shows as a client that can't connect.
      }
    }
  }

  private void link(Socket client) throws IOException {
    Socket redis = new Socket();
    try {
      client.setTcpNoDelay(true);
      redis.setTcpNoDelay(true);
      redis.connect(new InetSocketAddress("127.0.0.1", redisPort), 2_000);
    } catch (IOException e) {
      client.close();
      redis.close();
      return;
    }
    new Link(client, redis).start();
  }

  private boolean drops(String sha1) {
    runs.computeIfAbsent(sha1, first -> new AtomicLong()).incrementAndGet();
    Drops rule = drops.get(sha1);
    if (rule == null || !rule.next()) {
      return false;
    }
    dropped.computeIfAbsent(sha1, first -> new AtomicLong()).incrementAndGet();
    return true;
  }

  private static long count(Map<String, AtomicLong> counts, String sha1) {
    AtomicLong count = counts.get(sha1);
    return count == null ? 0 : count.get();
  }

  private static String script(RespFrame request) {
    if (request.bulks().size() < 2) {
      return "";
    }
    String command = request.bulk(0).toLowerCase(Locale.ROOT);
    if (command.equals("evalsha")) {
      return request.bulk(1).toLowerCase(Locale.ROOT);
    }
    return command.equals("eval") ? sha1(request.bulks().get(1)) : "";
  }

  private static String sha1(byte[] source) {
    try {
      return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-1").digest(source));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java platform has SHA-1", e);
    }
  }

  private static void daemon(String name, Runnable body) {
    Thread thread = new Thread(body, name);
    thread.setDaemon(true);
    thread.start();
  }

  /** Asked once per run; whether this reply is to be lost. */
  private interface Drops {
    boolean next();
  }

  /** What waits for its turn to be written to the client, or to end the connection in its place. */
  private record Outgoing(byte[] bytes, long dueNanos, Then then) {
    static Outgoing end() {
      return new Outgoing(new byte[0], System.nanoTime(), Then.END);
    }
  }

  private enum Then {
    WRITE,
    LOSE,
    END
  }

  /** A client's connection and its connection to Redis. */
  private final class Link {
    private final Socket client;
    private final Socket redis;
    private final Queue<String> awaited = new ConcurrentLinkedQueue<>();
    private final BlockingQueue<Outgoing> outgoing = new LinkedBlockingQueue<>();
    private final AtomicLong unanswered = new AtomicLong();
    private final AtomicBoolean cut = new AtomicBoolean();
    private volatile boolean closed;

    Link(Socket client, Socket redis) {
      this.client = client;
      this.redis = redis;
    }

    void start() {
      links.add(this);
      daemon("resp-proxy-requests", this::passRequests);
      daemon("resp-proxy-replies", this::takeReplies);
      daemon("resp-proxy-writer", this::writeReplies);
    }

    /** Closes both ends, whatever is on its way to the client. */
    void close() {
      cutFromRedis();
      closed = true;
      outgoing.add(Outgoing.end());
      quietly(client);
    }

    private void cutFromRedis() {
      if (cut.compareAndSet(false, true)) {
        links.remove(this);
        lostBehind.addAndGet(unanswered.get());
        quietly(redis);
      }
    }

    /**
     * Until the client ends. What it sends after the cut is read and forgotten: a socket closed
     * over unread bytes is reset, and a reset takes with it the replies that the client had yet to
     * read.
     */
    private void passRequests() {
      try {
        InputStream in = new BufferedInputStream(client.getInputStream());
        OutputStream out = new BufferedOutputStream(redis.getOutputStream());
        for (RespFrame request = RespFrame.read(in);
            request != null;
            request = RespFrame.read(in)) {
          if (!cut.get()) {
            pass(request, out, in.available() == 0);
          }
        }
      } catch (IOException e) {
        // The client was closed, by itself or by us.
      } finally {
        close();
      }
    }

    private void pass(RespFrame request, OutputStream out, boolean last) {
      awaited.add(script(request));
      unanswered.incrementAndGet();
      requests.incrementAndGet();
      try {
        out.write(request.bytes());
        if (last) {
          out.flush();
        }
      } catch (IOException e) {
        // Redis is gone: the reader of its replies sees it too, and ends the link.
      }
    }

    /** Until Redis ends or a reply is to be lost; the writer ends the link when it gets there. */
    private void takeReplies() {
      try {
        InputStream in = new BufferedInputStream(redis.getInputStream());
        for (RespFrame reply = RespFrame.read(in); reply != null; reply = RespFrame.read(in)) {
          Then then = fate(reply);
          outgoing.add(new Outgoing(reply.bytes(), System.nanoTime() + delayNanos, then));
          if (then == Then.LOSE) {
            return;
          }
        }
      } catch (IOException e) {
        // A socket was closed, by a peer or by us.
      }
      outgoing.add(Outgoing.end());
    }

    private Then fate(RespFrame reply) {
      String sha1 = String.valueOf(awaited.poll());
      boolean ran = !sha1.isEmpty() && !reply.begins("-NOSCRIPT");
      return ran && drops(sha1) ? Then.LOSE : Then.WRITE;
    }

    private void writeReplies() {
      try {
        OutputStream out = new BufferedOutputStream(client.getOutputStream());
        Outgoing next = outgoing.take();
        while (next.then() == Then.WRITE) {
          if (next.dueNanos() - System.nanoTime() > 0) {
            out.flush();
            waitUntil(next.dueNanos());
          }
          // Before the client can see it: a client that has all its replies may close at once.
          unanswered.decrementAndGet();
          replies.incrementAndGet();
          out.write(next.bytes());
          if (outgoing.isEmpty()) {
            out.flush();
          }
          next = outgoing.take();
        }
        out.flush();
        unanswered.addAndGet(next.then() == Then.LOSE ? -1 : 0);
        cutFromRedis();
        client.shutdownOutput();
      } catch (IOException e) {
        close();
      } catch (InterruptedException e) {
        close();
        Thread.currentThread().interrupt();
      }
    }

    private void waitUntil(long dueNanos) {
      for (long left = dueNanos - System.nanoTime();
          left > 0 && !closed;
          left = dueNanos - System.nanoTime()) {
        LockSupport.parkNanos(left);
      }
    }

    private void quietly(Socket socket) {
      try {
        socket.close();
      } catch (IOException e) {
        // It is closed enough.
      }
    }
  }
}
