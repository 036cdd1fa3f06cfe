package dev.weir.store;

import dev.weir.domain.message.DeliveryId;
import dev.weir.domain.message.Escaping;
import dev.weir.domain.message.MessageId;
import dev.weir.protocol.store.PublishStore;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.redis.client.Response;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Taking messages in. Targets of one partition (at most {@value #CHUNK}) are one script. Any others
 * are an intent, then one script per chunk, then the commit: from the intent on the publish is
 * durable, and whoever goes on with it makes each delivery once.
 */
final class RedisPublishes implements PublishStore {

  /** Targets of one script call. */
  static final int CHUNK = 100;

  // What publish.lua and check.lua say of a target.
  private static final int UNKNOWN = 0;
  private static final int CONFLICT = 1;
  private static final int EXISTS = 2;
  private static final int DUE = 3;

  private final Scripts scripts;
  private final Partitions partitions;
  private final Directory directory;
  private final Pulse pulse;

  RedisPublishes(Scripts scripts, Partitions partitions, Directory directory, Pulse pulse) {
    this.scripts = scripts;
    this.partitions = partitions;
    this.directory = directory;
    this.pulse = pulse;
  }

  // Idempotency keys

  @Override
  public Future<Binding> bind(String idempotencyKey, String requestHash, MessageId proposed) {
    String key = Escaping.escape(idempotencyKey);
    return pulse
        .room("bind")
        .compose(
            room ->
                scripts.run(
                    "bind",
                    partitions.ofEscaped(key),
                    List.of(key, digest(requestHash), proposed.key())))
        .map(RedisPublishes::binding);
  }

  private static Binding binding(Response reply) {
    return switch (Reply.code(reply.get(0))) {
      case 0 -> new Binding.Bound(MessageId.parse(reply.get(1).toString()));
      case 1 -> new Binding.Answered(MessageId.parse(reply.get(1).toString()));
      default -> new Binding.OtherRequest();
    };
  }

  @Override
  public Future<Void> answered(String idempotencyKey, String requestHash) {
    String key = Escaping.escape(idempotencyKey);
    return scripts
        .run("answered", partitions.ofEscaped(key), List.of(key, digest(requestHash)))
        .mapEmpty();
  }

  // Publish

  /** A message on its way in, in the terms of the scripts. */
  private record Incoming(
      String mid,
      String hash,
      long deliverAt,
      long delay,
      long deliverBy,
      int envelope,
      Buffer payload) {

    static Incoming of(Publication publication) {
      Buffer envelope = EnvelopeCodec.encode(publication.envelope());
      return new Incoming(
          publication.message().key(),
          digest(publication.body().getBytes()),
          publication.deliverAtMs(),
          publication.delayMs(),
          publication.envelope().deliverByMs(),
          envelope.length(),
          Buffer.buffer(envelope.length() + publication.body().length())
              .appendBuffer(envelope)
              .appendBuffer(publication.body()));
    }

    List<Object> args() {
      return new ArrayList<>(
          List.<Object>of(mid, hash, deliverAt, delay, deliverBy, (long) envelope, payload));
    }
  }

  @Override
  public Future<Published> publish(Publication publication) {
    List<String> sids = publication.targets().stream().map(Escaping::escape).toList();
    return pulse
        .room("publish")
        .compose(room -> publish(publication, Incoming.of(publication), sids, Map.of()));
  }

  /**
   * @param found partitions of targets that weren't where they were thought to be
   */
  private Future<Published> publish(
      Publication publication, Incoming message, List<String> sids, Map<String, Integer> found) {
    Map<Integer, List<String>> groups = grouped(sids, found);
    boolean oneStep = groups.size() == 1 && sids.size() <= CHUNK;
    Future<Map<String, Integer>> asked =
        oneStep ? store(firstKey(groups), message, sids, true) : check(message, groups);
    return asked.compose(
        codes -> {
          List<String> unknown = with(codes, UNKNOWN);
          if (!unknown.isEmpty() && found.isEmpty()) {
            return lookUp(unknown)
                .compose(
                    moved ->
                        moved.isEmpty()
                            ? refused(codes)
                            : publish(publication, message, sids, moved));
          }
          if (!unknown.isEmpty() || codes.containsValue(CONFLICT)) {
            return refused(codes);
          }
          return oneStep
              ? Future.succeededFuture(accepted(publication.message(), sids, codes))
              : publishByIntent(publication, message, groups);
        });
  }

  private static int firstKey(Map<Integer, List<String>> groups) {
    return groups.keySet().iterator().next();
  }

  private Map<Integer, List<String>> grouped(List<String> sids, Map<String, Integer> found) {
    Map<Integer, List<String>> groups = new LinkedHashMap<>();
    for (String sid : sids) {
      Integer moved = found.get(sid);
      int partition = moved != null ? moved : directory.guess(sid);
      groups.computeIfAbsent(partition, missing -> new ArrayList<>()).add(sid);
    }
    return groups;
  }

  /** Partitions of those that the directory knows to be elsewhere. */
  private Future<Map<String, Integer>> lookUp(List<String> sids) {
    Map<String, Integer> moved = new LinkedHashMap<>();
    List<Future<Integer>> all = new ArrayList<>();
    for (String sid : sids) {
      int guessed = directory.guess(sid);
      all.add(
          directory
              .lookUp(sid)
              .onSuccess(
                  partition -> {
                    if (partition != guessed) {
                      moved.put(sid, partition);
                    }
                  }));
    }
    return Future.all(all).map(done -> moved);
  }

  private Future<Map<String, Integer>> store(
      int partition, Incoming message, List<String> sids, boolean allOrNothing) {
    List<Object> args = message.args();
    args.add(allOrNothing ? "1" : "0");
    args.addAll(sids);
    return scripts.run("publish", partition, args).map(reply -> codes(sids, reply));
  }

  private Future<Map<String, Integer>> check(Incoming message, Map<Integer, List<String>> groups) {
    List<Future<Map<String, Integer>>> checks = new ArrayList<>();
    groups.forEach(
        (partition, sids) -> {
          for (int at = 0; at < sids.size(); at += CHUNK) {
            List<String> chunk = sids.subList(at, Math.min(at + CHUNK, sids.size()));
            List<Object> args = new ArrayList<>(List.of(message.mid(), message.hash()));
            args.addAll(chunk);
            checks.add(scripts.run("check", partition, args).map(reply -> codes(chunk, reply)));
          }
        });
    return Future.all(checks)
        .map(
            all -> {
              Map<String, Integer> codes = new LinkedHashMap<>();
              all.<Map<String, Integer>>list().forEach(codes::putAll);
              return codes;
            });
  }

  private static Map<String, Integer> codes(List<String> sids, Response reply) {
    Map<String, Integer> codes = new LinkedHashMap<>();
    for (int i = 0; i < sids.size(); i++) {
      codes.put(sids.get(i), Reply.code(reply.get(i)));
    }
    return codes;
  }

  private static List<String> with(Map<String, Integer> codes, int code) {
    return codes.entrySet().stream()
        .filter(entry -> entry.getValue() == code)
        .map(Map.Entry::getKey)
        .toList();
  }

  private static Future<Published> refused(Map<String, Integer> codes) {
    List<String> unknown = with(codes, UNKNOWN).stream().map(Escaping::unescape).toList();
    return Future.succeededFuture(
        unknown.isEmpty()
            ? new Published.Conflict(
                with(codes, CONFLICT).stream().map(Escaping::unescape).toList())
            : new Published.UnknownSubscribers(unknown));
  }

  private static Published accepted(
      MessageId message, List<String> sids, Map<String, Integer> codes) {
    List<DeliveryId> accepted = new ArrayList<>();
    List<String> created = new ArrayList<>();
    for (String sid : sids) {
      int code = codes.getOrDefault(sid, UNKNOWN);
      String subscriber = Escaping.unescape(sid);
      if (code >= EXISTS) {
        accepted.add(new DeliveryId(message, subscriber));
      }
      if (code == DUE) {
        created.add(subscriber);
      }
    }
    return new Published.Accepted(accepted, created);
  }

  // Several partitions

  private Future<Published> publishByIntent(
      Publication publication, Incoming message, Map<Integer, List<String>> groups) {
    List<String> ordered = groups.values().stream().flatMap(List::stream).toList();
    List<String> asked = publication.targets().stream().map(Escaping::escape).toList();
    int home = firstKey(groups);
    String intent = message.mid() + ":" + targetsHash(asked);
    return intend(home, intent, message, ordered)
        .compose(
            state ->
                switch (state) {
                  case 0 -> proceed(new OpenIntent(home, intent), publication.message(), asked);
                  case 1 ->
                      Future.succeededFuture(
                          accepted(publication.message(), asked, allExist(asked)));
                  default -> Future.succeededFuture(new Published.Conflict(publication.targets()));
                });
  }

  /** The first step alone, which leaves the publish open: what a crash right after it leaves. */
  Future<OpenIntent> begin(Publication publication, List<String> sids) {
    Incoming message = Incoming.of(publication);
    Map<Integer, List<String>> groups = grouped(sids, Map.of());
    List<String> ordered = groups.values().stream().flatMap(List::stream).toList();
    OpenIntent intent = new OpenIntent(firstKey(groups), message.mid() + ":" + targetsHash(sids));
    return intend(intent.partition(), intent.intent(), message, ordered).map(intent);
  }

  /** Durable from here. 0: open, go on; 1: was committed before; 2: holds another body. */
  private Future<Integer> intend(int home, String intent, Incoming message, List<String> targets) {
    List<Object> args = message.args();
    args.add(String.join(" ", targets));
    args.add(intent);
    return scripts.run("intend", home, args).map(Reply::code);
  }

  private static Map<String, Integer> allExist(List<String> sids) {
    Map<String, Integer> codes = new LinkedHashMap<>();
    sids.forEach(sid -> codes.put(sid, EXISTS));
    return codes;
  }

  @Override
  public Future<List<OpenIntent>> openIntents(int partition, long olderThanMs, int limit) {
    return scripts
        .run("intents", partition, List.<Object>of(olderThanMs, (long) limit))
        .map(
            reply -> {
              List<OpenIntent> open = new ArrayList<>();
              for (Response intent : reply) {
                open.add(new OpenIntent(partition, intent.toString()));
              }
              return open;
            });
  }

  @Override
  public Future<Published> resume(OpenIntent intent) {
    return proceed(intent, messageOf(intent), null);
  }

  /**
   * @param order of the answer; null for the intent's own
   */
  private Future<Published> proceed(
      OpenIntent intent, MessageId message, @Nullable List<String> order) {
    return read(intent)
        .compose(
            stored -> {
              if (stored == null) {
                // Committed by someone else: every delivery exists.
                List<String> sids = order == null ? List.of() : order;
                return Future.succeededFuture(accepted(message, sids, allExist(sids)));
              }
              Map<String, Integer> codes = new LinkedHashMap<>();
              stored.targets().subList(0, stored.cursor()).forEach(sid -> codes.put(sid, EXISTS));
              return chunks(intent, stored, stored.cursor(), codes)
                  .compose(done -> commit(intent))
                  .map(done -> finished(message, stored, codes, order));
            });
  }

  private static Published finished(
      MessageId message,
      StoredIntent stored,
      Map<String, Integer> codes,
      @Nullable List<String> order) {
    // Another body under the same id slipped in between check and publish.
    if (codes.containsValue(CONFLICT)) {
      return new Published.Conflict(
          with(codes, CONFLICT).stream().map(Escaping::unescape).toList());
    }
    return accepted(message, order == null ? stored.targets() : order, codes);
  }

  private record StoredIntent(Incoming message, List<String> targets, int cursor) {}

  private Future<@Nullable StoredIntent> read(OpenIntent intent) {
    return scripts
        .run("read_intent", intent.partition(), List.of(intent.intent()))
        .map(reply -> reply == null || reply.size() == 0 ? null : storedIntent(reply));
  }

  private static StoredIntent storedIntent(Response reply) {
    Incoming message =
        new Incoming(
            reply.get(0).toString(),
            reply.get(1).toString(),
            Reply.number(reply.get(2)),
            0,
            Reply.number(reply.get(3)),
            Reply.code(reply.get(4)),
            reply.get(5).toBuffer());
    return new StoredIntent(
        message, List.of(reply.get(6).toString().split(" ", -1)), Reply.code(reply.get(7)));
  }

  /** One chunk after the other; the cursor moves after each, so a crash repeats at most one. */
  private Future<Void> chunks(
      OpenIntent intent, StoredIntent stored, int at, Map<String, Integer> codes) {
    if (at >= stored.targets().size()) {
      return Future.succeededFuture();
    }
    List<String> chunk = chunk(stored.targets(), at);
    int next = at + chunk.size();
    return storeWhereItIs(stored.message(), chunk)
        .compose(
            made -> {
              codes.putAll(made);
              return scripts.run(
                  "advance", intent.partition(), List.<Object>of(intent.intent(), (long) next));
            })
        .compose(advanced -> chunks(intent, stored, next, codes));
  }

  /** The next targets that lie in one partition, at most {@value #CHUNK}. */
  List<String> chunk(List<String> targets, int at) {
    int partition = directory.guess(targets.get(at));
    int end = at + 1;
    while (end < targets.size()
        && end - at < CHUNK
        && directory.guess(targets.get(end)) == partition) {
      end++;
    }
    return targets.subList(at, end);
  }

  private Future<Map<String, Integer>> storeWhereItIs(Incoming message, List<String> chunk) {
    return store(directory.guess(chunk.get(0)), message, chunk, false)
        .compose(
            codes -> {
              List<String> unknown = with(codes, UNKNOWN);
              return unknown.isEmpty()
                  ? Future.succeededFuture(codes)
                  : lookUp(unknown).compose(moved -> storeMoved(message, moved, codes));
            });
  }

  private Future<Map<String, Integer>> storeMoved(
      Incoming message, Map<String, Integer> moved, Map<String, Integer> codes) {
    Future<Map<String, Integer>> done = Future.succeededFuture(codes);
    for (Map.Entry<Integer, List<String>> group :
        grouped(List.copyOf(moved.keySet()), moved).entrySet()) {
      done =
          done.compose(
              so ->
                  store(group.getKey(), message, group.getValue(), false)
                      .map(
                          made -> {
                            so.putAll(made);
                            return so;
                          }));
    }
    return done;
  }

  private Future<Response> commit(OpenIntent intent) {
    return scripts.run("commit", intent.partition(), List.of(intent.intent()));
  }

  private static MessageId messageOf(OpenIntent intent) {
    return MessageId.parse(intent.intent().substring(0, intent.intent().lastIndexOf(':')));
  }

  // Hashes

  static String targetsHash(List<String> sids) {
    Set<String> sorted = new LinkedHashSet<>(sids.stream().sorted().toList());
    return digest(String.join(" ", sorted));
  }

  private static String digest(String text) {
    return digest(text.getBytes(StandardCharsets.UTF_8));
  }

  /** 128 bits of SHA-256: nobody finds two bodies with one, and each message stores it. */
  private static String digest(byte[] bytes) {
    try {
      byte[] full = MessageDigest.getInstance("SHA-256").digest(bytes);
      return Base64.getUrlEncoder().withoutPadding().encodeToString(Arrays.copyOf(full, 16));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java platform has SHA-256", e);
    }
  }
}
