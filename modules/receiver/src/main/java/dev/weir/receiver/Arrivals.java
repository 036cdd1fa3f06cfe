package dev.weir.receiver;

import dev.weir.domain.quota.Rate;
import io.vertx.core.json.DecodeException;
import io.vertx.core.json.JsonObject;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** What a receiver saw, in the order in which it saw it, and the questions tests ask of it. */
public record Arrivals(List<Arrival> all) {

  public Arrivals {
    all = List.copyOf(all);
  }

  /**
   * Reads an arrivals log; a last line that was cut off by a kill is left out.
   *
   * @throws IOException when the file can't be read, or a line in its middle makes no sense
   */
  public static Arrivals read(Path log) throws IOException {
    Map<Long, Arrival> bySeq = new LinkedHashMap<>();
    try (BufferedReader lines = Files.newBufferedReader(log)) {
      int number = 0;
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        number++;
        try {
          add(bySeq, new JsonObject(line));
        } catch (DecodeException | NullPointerException broken) {
          if (lines.readLine() == null) {
            break;
          }
          throw new IOException(log + " line " + number + " is no arrival: " + line, broken);
        }
      }
    }
    return new Arrivals(new ArrayList<>(bySeq.values()));
  }

  private static void add(Map<Long, Arrival> bySeq, JsonObject line) {
    long seq = line.getLong("seq");
    if (line.containsKey("path")) {
      bySeq.put(seq, Arrival.fromJson(line));
    } else {
      long answeredNs = line.getLong("answeredNs");
      bySeq.computeIfPresent(seq, (s, arrival) -> arrival.answeredAt(answeredNs));
    }
  }

  public Arrivals where(Predicate<Arrival> wanted) {
    return new Arrivals(all.stream().filter(wanted).toList());
  }

  public Arrivals at(String path) {
    return where(arrival -> arrival.path().equals(path));
  }

  public Arrivals withKey(String key) {
    return where(arrival -> key.equals(arrival.key()));
  }

  public int count() {
    return all.size();
  }

  public long countOf(int status) {
    return all.stream().filter(arrival -> arrival.hasStatus(status)).count();
  }

  /** Arrivals by idempotency key; those without one are left out. */
  public Map<String, List<Arrival>> byKey() {
    return keyed().collect(Collectors.groupingBy(a -> String.valueOf(a.key())));
  }

  private Stream<Arrival> keyed() {
    return all.stream().filter(arrival -> arrival.key() != null);
  }

  /** Whether every arrival carries a sent-at stamp; without them nothing is said about pace. */
  public boolean stamped() {
    return all.stream().allMatch(arrival -> arrival.sentAtNs() != Arrival.NONE);
  }

  /** By the sender's stamps: what the invariant speaks of. */
  public double excessAsSent(Rate rate, int burst) {
    return RateEnvelope.largestExcess(sentAtNs(), rate, burst);
  }

  /** By arrival: what the subscriber felt, delays on the way included. */
  public double excessAsArrived(Rate rate, int burst) {
    return RateEnvelope.largestExcess(all.stream().mapToLong(Arrival::ns).toArray(), rate, burst);
  }

  public DelaySpread delays() {
    return DelaySpread.of(
        all.stream()
            .filter(arrival -> arrival.sentAtNs() != Arrival.NONE)
            .mapToLong(arrival -> arrival.atMicros() * 1_000 - arrival.sentAtNs())
            .toArray());
  }

  private long[] sentAtNs() {
    return all.stream()
        .mapToLong(Arrival::sentAtNs)
        .filter(stamp -> stamp != Arrival.NONE)
        .toArray();
  }
}
