package dev.weir.app.config;

import dev.weir.domain.time.Durations;
import dev.weir.node.NodeConfig;
import dev.weir.store.RedisStore;
import dev.weir.store.StoreConfig;
import dev.weir.store.connection.EmbeddedRedis.Fsync;
import dev.weir.store.connection.LaneOptions;
import dev.weir.store.connection.RedisUrl;
import java.io.IOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Everything that can be set for a node. {@code cluster-config/weir.yaml} lists each key with its
 * unit, default and effect, and is compared with this class by a test.
 *
 * @param http where the API listens
 * @param data where and how the embedded Redis keeps it
 * @param redis an external Redis, or how to reach the embedded one
 * @param node how much it does at once
 * @param store how long things are kept and how an endpoint in trouble is treated
 * @param log how much it tells
 */
public record WeirConfig(
    ListenAddress http, Data data, Redis redis, Node node, Store store, LogLevel log) {

  public static final ListenAddress DEFAULT_LISTEN = new ListenAddress("127.0.0.1", 8080);
  public static final Path DEFAULT_DATA_DIR = Path.of("./weir-data");

  /** What fits a process manager's usual 30 s before it kills. */
  public static final Duration DEFAULT_DRAIN = Duration.ofSeconds(20);

  /** Retries go on for seven days; a ledger that forgets sooner would let one be sent twice. */
  private static final Duration LEAST_LEDGER = Duration.ofDays(8);

  /** Claims run up to 50 ms ahead of their token. */
  private static final Duration LEAST_SLACK = Duration.ofMillis(50);

  private static final int MOST_PARTITIONS = 4_096;
  private static final int MOST_EVENT_LOOPS = 256;
  private static final int MOST_ATTEMPTS = 100_000;
  private static final long LEAST_BODY_BYTES = 1L << 20;
  private static final long MOST_BODY_BYTES = 1L << 36;

  /**
   * @param dir used when there is no {@code redis.url}
   */
  public record Data(Path dir, Fsync fsync) {}

  /**
   * @param url empty for the embedded one
   */
  public record Redis(Optional<RedisUrl> url, LaneOptions lanes) {}

  /**
   * @param partitions of the store: fixed when it is made
   */
  public record Store(int partitions, StoreConfig settings) {}

  /**
   * @param drain how long SIGTERM waits for attempts under way
   */
  public record Node(NodeConfig settings, Duration drain) {}

  /**
   * Reads the file, or takes the defaults when there is none, and puts the overrides over it.
   *
   * @throws ConfigException with everything that is wrong
   */
  public static WeirConfig load(Optional<Path> file, List<ConfigOverride> overrides) {
    Map<Object, Object> values = new LinkedHashMap<>();
    file.ifPresent(path -> values.putAll(ConfigFile.read(path)));
    Map<String, String> origins = new HashMap<>();
    for (ConfigOverride override : overrides) {
      put(values, override.path(), override.value());
      origins.put(override.path(), override.option());
    }
    Section root = Section.root(values, origins);
    WeirConfig config = read(root);
    root.refuseUnknown();
    if (!root.problems().isEmpty()) {
      throw new ConfigException(file.map(Path::toString).orElse("command line"), root.problems());
    }
    return config;
  }

  /** Paths of all keys that there are. */
  static List<String> keys() {
    Section root = Section.root(Map.of(), Map.of());
    read(root);
    return root.knownPaths();
  }

  private static WeirConfig read(Section root) {
    Section keep = root.section("keep");
    return new WeirConfig(
        root.section("http").parsed("listen", DEFAULT_LISTEN, ListenAddress::parse),
        data(root.section("data")),
        redis(root.section("redis")),
        node(root.section("node"), keep),
        store(root, keep),
        root.section("log").choice("level", LogLevel.class, LogLevel.INFO));
  }

  private static Data data(Section data) {
    return new Data(
        data.parsed("dir", DEFAULT_DATA_DIR, Path::of),
        data.choice("fsync", Fsync.class, Fsync.ALWAYS));
  }

  private static Redis redis(Section redis) {
    Optional<RedisUrl> url = redis.optional("url", RedisUrl::parse);
    LaneOptions lanes =
        new LaneOptions(
            redis.duration(
                "commandDeadline",
                LaneOptions.COMMAND_DEADLINE,
                Duration.ofMillis(100),
                Duration.ofSeconds(10)),
            redis.duration(
                "connectDeadline",
                LaneOptions.CONNECT_DEADLINE,
                Duration.ofMillis(100),
                Duration.ofSeconds(30)),
            redis.integer("maxInFlight", LaneOptions.MAX_IN_FLIGHT, 1_000, 1_000_000),
            LaneOptions.BACKOFF_FLOOR,
            redis.duration(
                "reconnectAtMost",
                LaneOptions.BACKOFF_CAP,
                LaneOptions.BACKOFF_FLOOR,
                Duration.ofSeconds(30)));
    return new Redis(url, lanes);
  }

  private static Node node(Section node, Section keep) {
    String name = node.parsed("name", hostName(), WeirConfig::requireName);
    int loops =
        node.integer("eventLoops", Runtime.getRuntime().availableProcessors(), 1, MOST_EVENT_LOOPS);
    int attempts =
        node.integer(
            "maxAttempts", NodeConfig.DEFAULT_MAX_ATTEMPTS, MOST_EVENT_LOOPS, MOST_ATTEMPTS);
    long bodyBytes =
        node.whole(
            "maxBodyBytes", NodeConfig.DEFAULT_MAX_BODY_BYTES, LEAST_BODY_BYTES, MOST_BODY_BYTES);
    Duration idle =
        node.duration(
            "idleAfter",
            NodeConfig.DEFAULT_IDLE_AFTER,
            Duration.ofMillis(100),
            Duration.ofHours(1));
    Duration deadLetters =
        keep.duration(
            "deadLetters",
            NodeConfig.DEFAULT_DEAD_LETTER_RETENTION,
            Duration.ofHours(1),
            Duration.ofDays(3_650));
    Duration drain = node.duration("drain", DEFAULT_DRAIN, Duration.ZERO, Duration.ofMinutes(15));
    return new Node(new NodeConfig(name, loops, attempts, bodyBytes, idle, deadLetters), drain);
  }

  /** Sections by subject, though the store takes them as one record. */
  private static Store store(Section root, Section keep) {
    StoreConfig otherwise = StoreConfig.DEFAULT;
    Section breaker = root.section("breaker");
    Section pace = root.section("pace");
    Section store = root.section("store");
    Duration base =
        breaker.duration(
            "firstPause", otherwise.breakerBase(), Duration.ofMillis(100), Duration.ofHours(1));
    Duration most =
        breaker.duration(
            "longestPause", otherwise.breakerMax(), Duration.ofMillis(100), Duration.ofDays(7));
    breaker.check(
        most.compareTo(base) >= 0,
        "longestPause",
        "must not be below firstPause, " + Durations.format(base));
    StoreConfig settings =
        new StoreConfig(
            keep.duration("ledger", otherwise.ledger(), LEAST_LEDGER, Duration.ofDays(366)),
            keep.duration("traces", otherwise.trace(), Duration.ofMinutes(1), Duration.ofDays(30)),
            store.duration(
                "leaseMargin",
                otherwise.leaseMargin(),
                Duration.ofSeconds(5),
                Duration.ofMinutes(10)),
            pace.duration("slack", otherwise.slack(), LEAST_SLACK, Duration.ofSeconds(1)),
            breaker.integer("failures", otherwise.breakerFailures(), 1, 1_000),
            breaker.duration("over", otherwise.breakerSpan(), Duration.ZERO, Duration.ofHours(1)),
            base,
            most.compareTo(base) >= 0 ? most : base,
            pace.duration("ramp", otherwise.ramp(), Duration.ofMillis(100), Duration.ofMinutes(10)),
            store.integer("fullPercent", otherwise.fullPercent(), 50, 95));
    return new Store(
        store.integer("partitions", RedisStore.DEFAULT_PARTITIONS, 1, MOST_PARTITIONS), settings);
  }

  private static String requireName(String name) {
    if (!name.matches("[A-Za-z0-9._-]{1,64}")) {
      throw new IllegalArgumentException(
          "must be 1 to 64 of A-Z a-z 0-9 . _ -, was '" + name + "'");
    }
    return name;
  }

  /** The machine's name as far as it can be one; a node needs no unique name to be safe. */
  private static String hostName() {
    String usable = rawHostName().strip().replaceAll("[^A-Za-z0-9._-]", "-");
    return usable.isEmpty() ? "node" : usable.substring(0, Math.min(usable.length(), 64));
  }

  /** From the kernel where it says so: asking the resolver can take seconds. */
  private static String rawHostName() {
    try {
      return Files.readString(Path.of("/proc/sys/kernel/hostname"));
    } catch (IOException notLinux) {
      try {
        return InetAddress.getLocalHost().getHostName();
      } catch (UnknownHostException unnamed) {
        return "";
      }
    }
  }

  /** Puts a value at a path, making the levels between; a level that is no map is left to fail. */
  private static void put(Map<Object, Object> values, String path, String value) {
    List<String> keys = new ArrayList<>(List.of(path.split("\\.")));
    String last = keys.remove(keys.size() - 1);
    Map<Object, Object> level = values;
    for (String key : keys) {
      Map<Object, Object> inner = new LinkedHashMap<>();
      if (level.get(key) instanceof Map<?, ?> there) {
        inner.putAll(there);
      }
      level.put(key, inner);
      level = inner;
    }
    level.put(last, value);
  }
}
