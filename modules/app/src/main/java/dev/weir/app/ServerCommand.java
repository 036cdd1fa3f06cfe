package dev.weir.app;

import static java.util.Objects.requireNonNull;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import dev.weir.app.config.ConfigException;
import dev.weir.app.config.ConfigOverride;
import dev.weir.app.config.LogLevel;
import dev.weir.app.config.WeirConfig;
import dev.weir.cli.ExitCodes;
import dev.weir.node.Checkpoints;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;
import org.slf4j.LoggerFactory;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Runs one node until it is told to stop. */
@Command(
    name = "server",
    description = {
      "Run a node. Says on stderr when it is ready and where.",
      "SIGTERM or Ctrl-C stops it in good order; a second one at once."
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  weir server",
      "  weir server --http 127.0.0.1:9080 --data /var/lib/weir",
      "  weir server --redis redis://:secret@127.0.0.1:6379/0 --config weir.yaml"
    })
final class ServerCommand implements Callable<Integer> {

  @Option(
      names = "--http",
      paramLabel = "HOST:PORT",
      description =
          "Where the API listens; loopback only, since there are no access tokens yet. Port 0 takes"
              + " a free one. Default: 127.0.0.1:8080.")
  private @Nullable String http;

  @Option(
      names = "--data",
      paramLabel = "DIR",
      description = "Directory of the embedded Redis. Default: ./weir-data.")
  private @Nullable String data;

  @Option(
      names = "--redis",
      paramLabel = "URL",
      description =
          "Use this Redis instead: redis://[user:password@]host[:port][/db], rediss:// for TLS.")
  private @Nullable String redis;

  @Option(
      names = "--node",
      paramLabel = "NAME",
      description = "The node's name in traces. Default: the host's name.")
  private @Nullable String node;

  @Option(
      names = "--config",
      paramLabel = "FILE",
      description = "A configuration file; cluster-config/weir.yaml lists its keys.")
  private @Nullable Path config;

  @Option(
      names = {"-h", "--help"},
      usageHelp = true,
      description = "Show this help and exit.")
  @SuppressWarnings("unused") // picocli acts on it
  private boolean help;

  @Spec private @Nullable CommandSpec command;

  @Override
  public Integer call() throws InterruptedException {
    long beganNanos = System.nanoTime();
    WeirConfig settings;
    Checkpoints checkpoints;
    try {
      settings = WeirConfig.load(Optional.ofNullable(config), overrides());
      checkpoints = KillPoint.of(System.getProperty(KillPoint.PROPERTY));
    } catch (ConfigException e) {
      return wrongConfig(e);
    } catch (IllegalArgumentException e) {
      err().println("weir: " + e.getMessage());
      return ExitCodes.USAGE;
    }
    logFrom(settings.log());
    Server server = new Server(settings, checkpoints);
    Signals.stopWith(server::stop);
    try {
      server.start();
    } catch (StartupException e) {
      err().println("weir: can't start: " + e.getMessage());
      return ExitCodes.REFUSED;
    }
    err().println(ready(settings, server, System.nanoTime() - beganNanos));
    // Ends with the process: a signal makes it exit, which runs the stop.
    new CountDownLatch(1).await();
    return ExitCodes.OK;
  }

  private List<ConfigOverride> overrides() {
    List<ConfigOverride> overrides = new ArrayList<>();
    add(overrides, "--http", "http.listen", http);
    add(overrides, "--data", "data.dir", data);
    add(overrides, "--redis", "redis.url", redis);
    add(overrides, "--node", "node.name", node);
    return overrides;
  }

  private static void add(
      List<ConfigOverride> overrides, String option, String path, @Nullable String value) {
    if (value != null) {
      overrides.add(new ConfigOverride(option, path, value));
    }
  }

  private int wrongConfig(ConfigException wrong) {
    String source = config == null ? "the command line" : config.toString();
    err().println("weir: can't start: " + source + " has " + count(wrong.problems().size()) + ":");
    wrong.problems().forEach(problem -> err().println("  " + problem));
    return ExitCodes.USAGE;
  }

  private static String count(int problems) {
    return problems == 1 ? "a problem" : problems + " problems";
  }

  private static String ready(WeirConfig settings, Server server, long tookNanos) {
    String store =
        settings
            .redis()
            .url()
            .map(Object::toString)
            .orElse("an embedded Redis in " + settings.data().dir());
    return String.format(
        Locale.ROOT,
        "weir: node %s ready at %s with %s, after %.1f s",
        settings.node().settings().name(),
        server.url(),
        store,
        tookNanos / 1e9);
  }

  private static void logFrom(LogLevel level) {
    if (LoggerFactory.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME) instanceof Logger root) {
      root.setLevel(Level.valueOf(level.name()));
    }
  }

  private PrintWriter err() {
    return requireNonNull(command).commandLine().getErr();
  }
}
