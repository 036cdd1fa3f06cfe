package dev.weir.store.connection;

import dev.weir.protocol.store.StoreException;
import io.vertx.core.Future;
import io.vertx.redis.client.Command;
import io.vertx.redis.client.Request;
import io.vertx.redis.client.Response;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Whether a Redis may hold the truth: what would lose messages or misread them is refused at start,
 * all of it at once, each with what was found, what is needed and the line that mends it.
 *
 * <p>Asks INFO rather than CONFIG, which managed services deny. On an empty store it lays down
 * {@code weir:meta}: a HASH of the format of the keys and the number of partitions, both fixed from
 * then on.
 */
public final class StartupChecks {

  /** The format of keys and values that this version writes and reads. */
  public static final int FORMAT = 1;

  private static final String META = "weir:meta";
  private static final Pattern VERSION = Pattern.compile("(\\d+)\\.(\\d+).*");

  private StartupChecks() {}

  /**
   * @param lane connected, or about to be
   * @param partitions the number that this node is configured for
   * @return completes when the store may be used; fails with {@link Refused}, whose message is for
   *     the person who starts the node, or with {@link StoreException} when Redis can't be asked
   */
  public static Future<Void> run(RedisLane lane, int partitions) {
    List<String> problems = new ArrayList<>();
    return info(lane)
        .onSuccess(info -> checkServer(info, problems))
        .compose(info -> meta(lane))
        .onSuccess(meta -> checkMeta(meta, partitions, problems))
        .compose(
            meta ->
                problems.isEmpty() && !meta.isWhole()
                    ? createMeta(lane, partitions)
                    : Future.succeededFuture(meta))
        .compose(
            meta -> {
              if (problems.isEmpty()) {
                // Another node may have been first: its word counts, as if it had been there.
                checkMeta(meta, partitions, problems);
              }
              return problems.isEmpty()
                  ? Future.succeededFuture()
                  : Future.failedFuture(new Refused(problems));
            });
  }

  private static Future<RedisInfo> info(RedisLane lane) {
    return lane.send(Request.cmd(Command.INFO)).map(reply -> RedisInfo.parse(reply.toString()));
  }

  private static void checkServer(RedisInfo info, List<String> problems) {
    checkVersion(info.text("redis_version"), problems);
    if (!"1".equals(info.text("aof_enabled"))) {
      problems.add(
          "the append-only file is off, so a restart of Redis would lose what was acknowledged;"
              + " needed: appendonly yes. Run 'CONFIG SET appendonly yes' and put 'appendonly yes'"
              + " into redis.conf");
    }
    String policy = info.text("maxmemory_policy");
    if (!"noeviction".equals(policy)) {
      problems.add(
          "maxmemory-policy is "
              + policy
              + ", so a full Redis would silently drop messages; needed: noeviction. Run 'CONFIG SET"
              + " maxmemory-policy noeviction' and put 'maxmemory-policy noeviction' into"
              + " redis.conf");
    }
    if ("slave".equals(info.text("role"))) {
      problems.add(
          "this Redis is a replica of "
              + info.text("master_host")
              + ":"
              + info.text("master_port")
              + " and takes no writes; needed: the master. Give its URL with --redis");
    }
  }

  private static void checkVersion(@Nullable String version, List<String> problems) {
    Matcher numbers = VERSION.matcher(String.valueOf(version));
    boolean enough =
        numbers.matches()
            && (number(numbers.group(1)) > 6
                || (number(numbers.group(1)) == 6 && number(numbers.group(2)) >= 2));
    if (!enough) {
      problems.add(
          "this Redis is version "
              + version
              + "; needed: 6.2 or later. Upgrade it, or leave out --redis to run the one that Weir"
              + " brings");
    }
  }

  private static Future<Meta> meta(RedisLane lane) {
    return lane.send(Request.cmd(Command.HMGET).arg(META).arg("format").arg("partitions"))
        .map(reply -> new Meta(text(reply.get(0)), text(reply.get(1))));
  }

  private static void checkMeta(Meta meta, int partitions, List<String> problems) {
    if (meta.isAbsent()) {
      return;
    }
    long format = number(meta.format());
    if (format > FORMAT) {
      problems.add(
          "the store was written by a newer Weir: its format is "
              + meta.format()
              + "; needed: "
              + FORMAT
              + " or lower. Start the newer version, or give this one another store (another db in"
              + " --redis redis://…/1, or another --data DIR)");
      return;
    }
    if (format < 1 || number(meta.partitions()) < 1) {
      problems.add(
          "the key weir:meta holds format "
              + meta.format()
              + " and partitions "
              + meta.partitions()
              + ", which no Weir writes; needed: numbers from 1. Restore the store from a backup, or"
              + " give this node an empty one");
      return;
    }
    if (number(meta.partitions()) != partitions) {
      problems.add(
          "the store was laid out with "
              + meta.partitions()
              + " partitions and this node is configured for "
              + partitions
              + "; needed: the same, the number can't change afterwards. Set 'partitions: "
              + meta.partitions()
              + "' in weir.yaml");
    }
  }

  /**
   * Field by field and only where absent, so that nodes that start together agree on the first. A
   * store without format but with partitions can't come of it: the partitions go first.
   */
  private static Future<Meta> createMeta(RedisLane lane, int partitions) {
    return setIfAbsent(lane, "partitions", partitions)
        .compose(done -> setIfAbsent(lane, "format", FORMAT))
        .compose(done -> meta(lane));
  }

  private static Future<Response> setIfAbsent(RedisLane lane, String field, int value) {
    return lane.send(Request.cmd(Command.HSETNX).arg(META).arg(field).arg(value));
  }

  private static @Nullable String text(@Nullable Response reply) {
    return reply == null ? null : reply.toString();
  }

  private static long number(@Nullable String text) {
    return text != null && text.matches("\\d{1,9}") ? Long.parseLong(text) : -1;
  }

  /** A field is null where the store doesn't have it. */
  private record Meta(@Nullable String format, @Nullable String partitions) {

    /** Then nothing is written: a full Redis refuses even a write of no effect. */
    boolean isWhole() {
      return format != null && partitions != null;
    }

    /** Partitions alone are the mark of a node that was killed between the two fields. */
    boolean isAbsent() {
      return format == null && (partitions == null || number(partitions) > 0);
    }
  }

  /** The store can't be used as it is; says everything that is wrong with it. */
  public static final class Refused extends RuntimeException {
    private final transient List<String> problems;

    Refused(List<String> problems) {
      super(
          problems.size() == 1
              ? "this Redis can't be used: " + problems.get(0)
              : "this Redis can't be used for "
                  + problems.size()
                  + " reasons:\n- "
                  + String.join("\n- ", problems));
      this.problems = List.copyOf(problems);
    }

    public List<String> problems() {
      return problems;
    }
  }
}
