package dev.weir.store.connection;

import java.util.HashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells of an outage once, not once per lane and attempt: one line when the first lane falls, one
 * when all are back. Outages that follow each other closely (a server that takes connections and
 * drops them) are counted and told with the next one. Thread-safe.
 */
final class OutageLog {

  private static final Logger LOG = LoggerFactory.getLogger(RedisLane.class);

  /** A flapping server writes two lines in this time, not two per attempt. */
  private static final long QUIET_NANOS = 10_000_000_000L;

  private final String server;
  private final Set<Object> down = new HashSet<>();
  private long startedNanos;
  private @Nullable Long loggedNanos;
  private boolean told;
  private int untold;

  OutageLog(String server) {
    this.server = server;
  }

  synchronized void down(Object lane, String reason) {
    boolean first = down.isEmpty();
    if (!down.add(lane) || !first) {
      return;
    }
    startedNanos = System.nanoTime();
    told = loggedNanos == null || startedNanos - loggedNanos >= QUIET_NANOS;
    if (!told) {
      untold++;
      return;
    }
    loggedNanos = startedNanos;
    LOG.warn("Redis at {} can't be used, trying again{}: {}", server, shorter(), reason);
    untold = 0;
  }

  synchronized void up(Object lane) {
    if (!down.remove(lane) || !down.isEmpty() || !told) {
      return;
    }
    long ms = (System.nanoTime() - startedNanos) / 1_000_000;
    LOG.info("Redis at {} is back after {} ms", server, ms);
  }

  /** The lane was closed by us: neither an outage nor its end. */
  synchronized void forget(Object lane) {
    down.remove(lane);
  }

  private String shorter() {
    return untold == 0 ? "" : " (" + untold + " short outages since the last line)";
  }
}
