package dev.weir.store;

import io.vertx.redis.client.Response;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Since when the oldest head of a partition's ready lines waits, known each second without looking
 * at every line each second. A look at all of them names the oldest and a bound for the rest. A
 * line's head only gets younger, unless deadlines reorder it or a pause ends; so as long as one of
 * the named waits since before the bound, looking at the first of those is enough. Otherwise all
 * are looked at, as often as their number allows, and now and then in any case. Thread-safe.
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

  /** Who waits at least since when, epoch ms by the store's clock. */
  private final Map<String, Long> named = new HashMap<>();

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
    named.entrySet().stream()
        .sorted(Map.Entry.comparingByValue())
        .forEach(
            entry -> {
              these.add(entry.getKey());
              these.add(entry.getValue().toString());
            });
    return these;
  }

  /**
   * Takes the reply.
   *
   * @param asked as {@link #ask} said
   * @return age of the oldest head, ms; −1 when all lines are empty as far as is known
   */
  synchronized long read(Response reply, List<String> asked, long nowNanos) {
    if (asked.get(0).equals(ALL)) {
      named.clear();
      boundMs = Reply.number(reply.get(BOUND));
      pauseNanos = Math.min(MOST_NANOS, NANOS_PER_LINE * Reply.number(reply.get(LOOKED_AT)));
      looked = true;
      lookedNanos = nowNanos;
    }
    for (int i = NAMED; i + 1 < reply.size(); i += 2) {
      long since = Reply.number(reply.get(i + 1));
      if (since < 0) {
        named.remove(reply.get(i).toString());
      } else {
        named.put(reply.get(i).toString(), since);
      }
    }
    long oldest = named.values().stream().mapToLong(Long::longValue).min().orElse(Long.MAX_VALUE);
    exact = oldest <= boundMs;
    return named.isEmpty() ? -1 : Math.max(0, Reply.number(reply.get(NOW)) - oldest);
  }
}
