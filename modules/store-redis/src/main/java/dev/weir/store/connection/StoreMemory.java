package dev.weir.store.connection;

import io.vertx.core.Vertx;
import io.vertx.redis.client.Command;
import io.vertx.redis.client.Request;
import java.time.Duration;

/**
 * How full Redis is, asked once a second, so that publishes stop while there is still room to
 * deliver what is there. Where {@code maxmemory} is 0 the limit is the machine's memory: beyond it
 * the system would kill Redis, which no answer to a publish announces. Read from any thread.
 */
public final class StoreMemory {

  /** Publishes stop here; the rest is for retries, traces and the append-only file's buffers. */
  public static final double HIGH_WATER = 0.9;

  private static final Duration PERIOD = Duration.ofSeconds(1);

  private final Vertx vertx;
  private final RedisLanes lanes;
  private volatile Usage usage = new Usage(0, 0);
  private volatile boolean closed;

  public StoreMemory(Vertx vertx, RedisLanes lanes) {
    this.vertx = vertx;
    this.lanes = lanes;
  }

  /** Asks now and from now on. A failed look keeps the last answer: its commands fail anyway. */
  public void start() {
    vertx.getOrCreateContext().runOnContext(now -> poll());
  }

  public void close() {
    closed = true;
  }

  /** Bytes that Redis counts against its limit. */
  public long usedBytes() {
    return usage.usedBytes();
  }

  /** {@code maxmemory}, or the machine's memory where that is 0; 0 as long as neither is known. */
  public long maxBytes() {
    return usage.maxBytes();
  }

  /** Whether new messages must be refused. */
  public boolean aboveHighWater() {
    return usage.aboveHighWater();
  }

  private void poll() {
    if (closed) {
      return;
    }
    lanes
        .lane()
        .send(Request.cmd(Command.INFO).arg("memory"))
        .onSuccess(reply -> usage = Usage.of(RedisInfo.parse(reply.toString())))
        .onComplete(done -> vertx.setTimer(PERIOD.toMillis(), due -> poll()));
  }

  record Usage(long usedBytes, long maxBytes) {

    static Usage of(RedisInfo info) {
      long limit = info.number("maxmemory", 0);
      return new Usage(
          info.number("used_memory", 0), limit > 0 ? limit : info.number("total_system_memory", 0));
    }

    boolean aboveHighWater() {
      return maxBytes > 0 && usedBytes > maxBytes * HIGH_WATER;
    }
  }
}
