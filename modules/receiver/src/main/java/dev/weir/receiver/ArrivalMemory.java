package dev.weir.receiver;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;

/**
 * What the receiver remembers in memory: counts of everything, and the latest arrivals. Bounded:
 * after {@value #MAX_KEYS} keys new ones are no longer told apart, and the numbers say so.
 */
final class ArrivalMemory {

  static final int MAX_RECENT = 100_000;
  static final int MAX_KEYS = 1_000_000;
  static final int MAX_PATHS = 10_000;
  static final String OTHER_PATHS = "(other paths)";

  private final Map<String, Map<String, Long>> byPath = new TreeMap<>();
  private final Map<String, KeyCounts> keys = new HashMap<>();
  private final TreeMap<Long, Arrival> recent = new TreeMap<>();
  private long arrivals;
  private long duplicates;
  private boolean keysComplete = true;

  /** How often a key has arrived so far. */
  long arrivalsOf(String key) {
    KeyCounts counts = keys.get(key);
    return counts == null ? 0 : counts.arrivals;
  }

  void arrived(Arrival arrival) {
    arrivals++;
    String path =
        byPath.containsKey(arrival.path()) || byPath.size() < MAX_PATHS
            ? arrival.path()
            : OTHER_PATHS;
    byPath.computeIfAbsent(path, p -> new TreeMap<>()).merge(arrival.result(), 1L, Long::sum);
    recent.put(arrival.seq(), arrival);
    if (recent.size() > MAX_RECENT) {
      recent.pollFirstEntry();
    }
    String key = arrival.key();
    if (key != null) {
      countKey(key, arrival.accepted());
    }
  }

  private void countKey(String key, boolean accepted) {
    KeyCounts counts = keys.get(key);
    if (counts == null) {
      if (keys.size() >= MAX_KEYS) {
        keysComplete = false;
        return;
      }
      counts = new KeyCounts();
      keys.put(key, counts);
    }
    counts.arrivals++;
    if (counts.accepted > 0) {
      duplicates++;
    }
    if (accepted) {
      counts.accepted++;
    }
  }

  /** A delayed answer went out. */
  void answered(Arrival arrival) {
    KeyCounts counts = arrival.key() == null ? null : keys.get(arrival.key());
    if (counts != null && arrival.accepted()) {
      counts.accepted++;
    }
    recent.replace(arrival.seq(), arrival);
  }

  JsonObject stats() {
    JsonObject paths = new JsonObject();
    byPath.forEach((path, results) -> paths.put(path, new JsonObject(new TreeMap<>(results))));
    return new JsonObject()
        .put("arrivals", arrivals)
        .put("byPath", paths)
        .put("distinctKeys", keys.size())
        .put("acceptedKeys", keys.values().stream().filter(counts -> counts.accepted > 0).count())
        .put("duplicates", duplicates)
        .put("keysComplete", keysComplete);
  }

  JsonObject log(long after, int limit) {
    JsonArray items = new JsonArray();
    long last = after;
    for (Arrival arrival : recent.tailMap(after, false).values()) {
      if (items.size() >= limit) {
        break;
      }
      items.add(arrival.toJson());
      last = arrival.seq();
    }
    return new JsonObject().put("items", items).put("next", last);
  }

  private static final class KeyCounts {
    private long arrivals;
    private long accepted;
  }
}
