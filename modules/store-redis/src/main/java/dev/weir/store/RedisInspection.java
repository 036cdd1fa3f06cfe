package dev.weir.store;

import dev.weir.domain.message.DeliveryId;
import dev.weir.domain.message.Envelope;
import dev.weir.domain.message.Escaping;
import dev.weir.domain.message.MessageId;
import dev.weir.protocol.store.ConfigStore.Page;
import dev.weir.protocol.store.InspectionStore;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.redis.client.Response;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Looking at deliveries, and what a person may do with those that stopped. */
final class RedisInspection implements InspectionStore {

  private static final DateTimeFormatter MILLIS =
      DateTimeFormatter.ofPattern("uuuu-MM-dd'T'HH:mm:ss.SSS'Z'").withZone(ZoneOffset.UTC);

  /** Of the reply to the script {@code totals}. */
  private static final int SUMS = 10;

  private final Scripts scripts;
  private final Partitions partitions;
  private final Directory directory;
  private final Pulse pulse;
  private final Recount recount;
  private final List<OldestHead> oldestHeads;

  RedisInspection(
      Scripts scripts, Partitions partitions, Directory directory, Pulse pulse, Recount recount) {
    this.scripts = scripts;
    this.partitions = partitions;
    this.directory = directory;
    this.pulse = pulse;
    this.recount = recount;
    this.oldestHeads = Stream.generate(OldestHead::new).limit(partitions.count()).toList();
  }

  // One message, one delivery

  @Override
  public Future<List<DeliveryState>> message(MessageId message) {
    return partitions
        .each(partition -> scripts.run("pairs", partition, List.of(message.key())))
        .map(
            all -> {
              List<DeliveryState> states = new ArrayList<>();
              for (Response reply : all) {
                for (int i = 0; i + 4 < reply.size(); i += 5) {
                  state(
                          new DeliveryId(message, Escaping.unescape(reply.get(i).toString())),
                          reply.get(i + 1).toString(),
                          Double.valueOf(reply.get(i + 2).toString()).longValue(),
                          DeliveryRecord.parse(reply.get(i + 3).toString()),
                          Reply.number(reply.get(i + 4)))
                      .ifPresent(states::add);
                }
              }
              states.sort(Comparator.comparing(state -> Escaping.escape(state.id().subscriber())));
              return states;
            });
  }

  /**
   * @param place the set that holds it, or its mark in the ledger
   * @return empty when it was purged: gone, also for those who look
   */
  private static Optional<DeliveryState> state(
      DeliveryId id, String place, long score, DeliveryRecord record, long eligibleMs) {
    char kind = place.charAt(0);
    if (place.length() > 1) {
      LedgerMark mark = LedgerMark.parse(place);
      return kind == 'p'
          ? Optional.empty()
          : Optional.of(
              new DeliveryState(
                  id, kind == 'd' ? State.DONE : State.CANCELLED, mark.attempts(), mark.sinceMs()));
    }
    State state =
        switch (kind) {
          case 'r' -> State.READY;
          case 'z' -> record.attempts() == 0 ? State.SCHEDULED : State.RETRY_SCHEDULED;
          case 'f' -> State.ATTEMPTING;
          case 'x' -> State.DEAD;
          default -> State.RECONCILING;
        };
    long since =
        switch (kind) {
          case 'r' -> eligibleMs;
          case 'z' -> record.claimedMs() > 0 ? record.claimedMs() : eligibleMs;
          case 'f' -> record.claimedMs();
          default -> score;
        };
    return Optional.of(new DeliveryState(id, state, record.attempts(), since));
  }

  @Override
  public Future<Optional<DeliveryView>> delivery(DeliveryId id) {
    String sid = Escaping.escape(id.subscriber());
    return directory.at(
        sid,
        partition ->
            scripts
                .run("find", partition, List.of(id.message().key(), sid))
                .map(reply -> reply.size() == 0 ? Optional.empty() : view(id, reply)),
        Optional::isEmpty);
  }

  private static Optional<DeliveryView> view(DeliveryId id, Response reply) {
    String place = reply.get(0).toString();
    long score = Double.valueOf(reply.get(1).toString()).longValue();
    DeliveryRecord record = DeliveryRecord.parse(reply.get(2).toString());
    long eligibleMs = Reply.number(reply.get(6));
    boolean ended = place.length() > 1;
    boolean waits = place.equals("r") || place.equals("z");
    Why why = Why.parse(reply.get(3).toString());
    Trace trace = Trace.parse(reply.get(4).toString());
    return state(id, place, score, record, eligibleMs)
        .map(
            state ->
                new DeliveryView(
                    state,
                    waits ? eligibleMs : -1,
                    why.reason(),
                    why.askedDelayMs(),
                    ended ? LedgerMark.parse(place).redrives() : record.redrives(),
                    trace.attempts(),
                    trace.omitted(),
                    envelope(reply.get(5).toBuffer())));
  }

  private static @Nullable Envelope envelope(Buffer head) {
    return head.length() == 0 ? null : StoredMessage.parse(head).envelope();
  }

  // Those that stopped

  @Override
  public Future<Page<Stopped>> deadLetters(
      @Nullable String subscriber, @Nullable String after, int limit) {
    return stopped("x", subscriber, after, limit);
  }

  @Override
  public Future<Page<Stopped>> reconciliation(
      @Nullable String subscriber, @Nullable String after, int limit) {
    return stopped("y", subscriber, after, limit);
  }

  /** Where a page ended: {@code partition.SID.since.seq}; a SID has dots, the numbers have none. */
  private record Cursor(int partition, String sid, String since, String seq) {
    static Cursor parse(String text) {
      try {
        int first = text.indexOf('.');
        int last = text.lastIndexOf('.');
        int middle = text.lastIndexOf('.', last - 1);
        return new Cursor(
            Integer.parseInt(text.substring(0, first)),
            text.substring(first + 1, middle),
            text.substring(middle + 1, last),
            text.substring(last + 1));
      } catch (IndexOutOfBoundsException | NumberFormatException e) {
        throw new IllegalArgumentException("'" + text + "' is no cursor of this list", e);
      }
    }

    @Override
    public String toString() {
      return partition + "." + sid + "." + since + "." + seq;
    }
  }

  /** One found, with the cursor that names it. */
  private record Found(Stopped stopped, String cursor) {}

  private Future<Page<Stopped>> stopped(
      String set, @Nullable String subscriber, @Nullable String after, int limit) {
    Cursor from = after == null ? null : Cursor.parse(after);
    List<Found> found = new ArrayList<>();
    Future<?> filled;
    if (subscriber != null) {
      String sid = Escaping.escape(subscriber);
      filled =
          directory.at(
              sid,
              partition -> fill(set, sid, partition, from, limit + 1, found),
              size -> size == 0);
    } else {
      filled = fillAll(set, from == null ? 0 : from.partition(), from, limit + 1, found);
    }
    return filled.map(done -> page(found, limit));
  }

  private static Page<Stopped> page(List<Found> found, int limit) {
    List<Found> items = found.subList(0, Math.min(limit, found.size()));
    String next =
        found.size() > limit && !items.isEmpty() ? items.get(items.size() - 1).cursor() : null;
    return new Page<>(items.stream().map(Found::stopped).toList(), next);
  }

  private Future<Integer> fillAll(
      String set, int partition, @Nullable Cursor from, int limit, List<Found> found) {
    if (partition >= partitions.count() || found.size() >= limit) {
      return Future.succeededFuture(found.size());
    }
    return fill(set, "", partition, from, limit, found)
        .compose(size -> fillAll(set, partition + 1, null, limit, found));
  }

  private Future<Integer> fill(
      String set, String sid, int partition, @Nullable Cursor from, int limit, List<Found> found) {
    List<Object> args = new ArrayList<>(List.<Object>of(set, sid, (long) limit - found.size()));
    args.add(from == null ? "" : from.sid());
    args.add(from == null ? "" : from.since());
    args.add(from == null ? "" : from.seq());
    return scripts
        .run("stopped", partition, args)
        .map(
            reply -> {
              for (int i = 0; i + 5 < reply.size(); i += 6) {
                found.add(found(partition, reply, i));
              }
              return found.size();
            });
  }

  private static Found found(int partition, Response reply, int at) {
    String sid = reply.get(at).toString();
    String seq = reply.get(at + 1).toString();
    String since = reply.get(at + 2).toString();
    String mid = reply.get(at + 3).toString();
    DeliveryRecord record = DeliveryRecord.parse(reply.get(at + 4).toString());
    Why why = Why.parse(reply.get(at + 5).toString());
    // Without its body nobody can say which message it was; its number can still be looked for.
    MessageId message = mid.isEmpty() ? MessageId.of("lost-" + seq) : MessageId.parse(mid);
    return new Found(
        new Stopped(
            new DeliveryId(message, Escaping.unescape(sid)),
            record.attempts(),
            why.reason() == null ? "" : why.reason(),
            Double.valueOf(since).longValue(),
            why.askedDelayMs(),
            record.redrives()),
        new Cursor(partition, sid, since, seq).toString());
  }

  // Changes

  @Override
  public Future<Change> redrive(DeliveryId id) {
    return change(id, "redrive", 0);
  }

  @Override
  public Future<Change> cancel(DeliveryId id) {
    return change(id, "cancel", 0);
  }

  @Override
  public Future<Change> reschedule(DeliveryId id, long atMs) {
    return change(id, "reschedule", atMs);
  }

  private Future<Change> change(DeliveryId id, String what, long atMs) {
    String sid = Escaping.escape(id.subscriber());
    List<Object> args = List.<Object>of(id.message().key(), sid, what, atMs);
    return directory.at(
        sid,
        partition ->
            scripts.run("change", partition, args).map(reply -> Change.values()[Reply.code(reply)]),
        change -> change == Change.UNKNOWN);
  }

  // Sums

  @Override
  public Future<Totals> totals() {
    long[] ages = new long[partitions.count()];
    return partitions
        .each(partition -> partitionTotals(partition, ages))
        .map(
            all -> {
              long[] sum = new long[SUMS];
              for (Response reply : all) {
                for (int i = 0; i < sum.length; i++) {
                  sum[i] += Reply.number(reply.get(i));
                }
              }
              long oldest = LongStream.of(ages).max().orElse(-1);
              return new Totals(
                  sum[0],
                  sum[1],
                  sum[2],
                  sum[3],
                  sum[4],
                  sum[5],
                  sum[6],
                  sum[7],
                  sum[8],
                  sum[9],
                  oldest,
                  pulse.memory().used(),
                  pulse.memory().max());
            });
  }

  private Future<Response> partitionTotals(int partition, long[] ages) {
    OldestHead oldest = oldestHeads.get(partition);
    List<String> asked = oldest.ask(System.nanoTime());
    return scripts
        .run("totals", partition, asked)
        .onSuccess(reply -> ages[partition] = oldest.read(reply, asked, System.nanoTime()));
  }

  @Override
  public Future<Balance> balance() {
    return recount.run();
  }

  // What scripts store as text

  /** {@code attempts failures limited redrives first eligible claimed claim last}. */
  private record DeliveryRecord(int attempts, int redrives, long claimedMs) {
    static DeliveryRecord parse(String text) {
      if (text.isEmpty()) {
        return new DeliveryRecord(0, 0, 0);
      }
      String[] part = text.split(" ", -1);
      return new DeliveryRecord(
          Integer.parseInt(part[0]), Integer.parseInt(part[3]), Long.parseLong(part[6]));
    }
  }

  /** {@code d settledMs attempts [redrives]}, {@code c ms} or {@code p ms}. */
  private record LedgerMark(long sinceMs, int attempts, int redrives) {
    static LedgerMark parse(String text) {
      String[] part = text.split(" ", -1);
      return new LedgerMark(
          Long.parseLong(part[1]),
          part.length > 2 ? Integer.parseInt(part[2]) : 0,
          part.length > 3 ? Integer.parseInt(part[3]) : 0);
    }
  }

  /** {@code askedDelayMs reason}. */
  private record Why(long askedDelayMs, @Nullable String reason) {
    static Why parse(String text) {
      int space = text.indexOf(' ');
      return space < 0
          ? new Why(-1, null)
          : new Why(Long.parseLong(text.substring(0, space)), text.substring(space + 1));
    }
  }

  /** The kept attempts, each with the time of its settle as last member. */
  private record Trace(int omitted, List<String> attempts) {
    static Trace parse(String text) {
      if (text.isEmpty()) {
        return new Trace(0, List.of());
      }
      String[] lines = text.split("\n", -1);
      List<String> attempts = new ArrayList<>();
      for (int i = 1; i < lines.length; i++) {
        int tab = lines[i].indexOf('\t');
        if (tab > 0) {
          long settledMs = Long.parseLong(lines[i].substring(0, tab));
          attempts.add(settledAt(lines[i].substring(tab + 1), settledMs));
        }
      }
      return new Trace(Integer.parseInt(lines[0]), attempts);
    }

    /** Added as text: what the node wrote stays as it is, byte for byte. */
    private static String settledAt(String json, long settledMs) {
      int end = json.lastIndexOf('}');
      if (end < 0) {
        return json;
      }
      String before = json.substring(0, end).stripTrailing();
      String comma = before.endsWith("{") ? "" : ",";
      String at = MILLIS.format(Instant.ofEpochMilli(settledMs));
      return before + comma + "\"settledAt\":\"" + at + "\"}";
    }
  }
}
