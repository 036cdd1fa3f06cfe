package dev.weir.store;

import io.vertx.redis.client.Response;
import java.util.ArrayList;
import java.util.List;

/**
 * Since when the oldest head of a partition's ready lines waits, known each second without looking
 * at every line each second. A look at all of them names the oldest and a bound for the rest. A
 * line's head only gets younger, unless deadlines reorder it or a pause ends; so as long as one of
 * the named waits since before the bound, looking at those is enough. Otherwise all are looked at,
 * as often as their number allows, and now and then in any case. Thread-safe.
 */
final class OldestHead {

  /** Three lines a second in each of 64 partitions: what the store does not notice. */
  private static final long NANOS_PER_LINE = 320_000_000;

  private static final long MOST_NANOS = 30_000_000_000L;

  private static final String ALL = "all";
  private static final String THESE = "these";

  private static final int NOW = 10;
  private static final int LOOKED_AT = 11;
  private static final int BOUND = 12;
  private static final int NAMED = 13;

  private List<String> named = List.of();
  private boolean exact;
  private long boundMs;
  private boolean looked;
  private long lookedNanos;
  private long pauseNanos;

  /** The arguments for the script {@code totals}. */
  synchronized List<String> ask(long nowNanos) {
    long since = nowNanos - lookedNanos;
    boolean worthIt = !exact || since >= MOST_NANOS;
    if (!looked || (worthIt && since >= pauseNanos)) {
      return List.of(ALL);
    }
    List<String> these = new ArrayList<>(List.of(THESE));
    these.addAll(named);
    return these;
  }

  /**
   * Takes the reply.
   *
   * @param asked as {@link #ask} said
   * @return age of the oldest head, ms; −1 when all lines are empty as far as is known
   */
  synchronized long read(Response reply, List<String> asked, long nowNanos) {
    List<String> still = new ArrayList<>();
    long oldest = Long.MAX_VALUE;
    for (int i = NAMED; i + 1 < reply.size(); i += 2) {
      still.add(reply.get(i).toString());
      oldest = Math.min(oldest, Reply.number(reply.get(i + 1)));
    }
    if (asked.get(0).equals(ALL)) {
      boundMs = Reply.number(reply.get(BOUND));
      pauseNanos = Math.min(MOST_NANOS, NANOS_PER_LINE * Reply.number(reply.get(LOOKED_AT)));
      looked = true;
      lookedNanos = nowNanos;
    }
    named = List.copyOf(still);
    exact = oldest <= boundMs;
    return still.isEmpty() ? -1 : Math.max(0, Reply.number(reply.get(NOW)) - oldest);
  }
}
