package dev.weir.scenarios;

import dev.weir.domain.message.DeliveryId;
import dev.weir.domain.quota.Rate;
import dev.weir.receiver.Arrivals;
import dev.weir.scenarios.client.WeirClient;
import dev.weir.scenarios.demo.Cast;
import dev.weir.scenarios.demo.DemoView;
import dev.weir.scenarios.demo.Publisher;
import dev.weir.scenarios.demo.ShipmentUpdates;
import dev.weir.scenarios.demo.Verdict;
import dev.weir.scenarios.demo.Verdict.Allowance;
import dev.weir.scenarios.demo.Watch;
import dev.weir.scenarios.process.ReceiverProcess;
import dev.weir.scenarios.process.ScenarioException;
import dev.weir.scenarios.process.ScratchDirectory;
import dev.weir.scenarios.process.WeirProcess;
import io.vertx.core.json.JsonObject;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;

/**
 * Shows the main job on real HTTP traffic: a node with its embedded Redis and a receiver, each a
 * process of its own, some thousand shipment updates, and a verdict over all of it.
 */
public final class Demo {

  private static final Duration POLL = Duration.ofMillis(200);
  private static final Duration STOP_WITHIN = Duration.ofSeconds(40);

  private final DemoOptions options;
  private final Progress progress;
  private final Path dir;

  private Demo(DemoOptions options, Progress progress, Path dir) {
    this.options = options;
    this.progress = progress;
    this.dir = dir;
  }

  /**
   * Runs it; blocks until the end.
   *
   * @throws ScenarioException when it can't be run to its end, saying why
   */
  public static Outcome run(DemoOptions options, Progress progress) {
    try (ScratchDirectory dir = ScratchDirectory.create("weir-demo-")) {
      if (options.keep()) {
        dir.keep();
      }
      DemoReport report = new Demo(options, progress, dir.path()).run();
      return new Outcome(report, options.keep() ? dir.path() : null);
    } finally {
      progress.end();
    }
  }

  /**
   * @param kept where data and logs stayed; null when they did not
   */
  public record Outcome(DemoReport report, @Nullable Path kept) {

    /** How to look at what was kept; empty when nothing was. */
    public String howToLook() {
      if (kept == null) {
        return "";
      }
      return """
          Kept in %1$s: node.log, receiver.log, receiver.yaml, arrivals.jsonl and the store.
          Start the node on it again, then look around:
            ./weir server --data %1$s/node-data
            ./weir subscribers
            ./weir dead-letters --subscriber store_picky
            ./weir deliveries shp_000000 --version 1
            ./weir balance
          """
          .formatted(kept);
    }
  }

  private DemoReport run() {
    progress.phase(
        "Starting a node with its embedded Redis, and a receiver, as processes of their own");
    CompletableFuture<ReceiverProcess> starting =
        CompletableFuture.supplyAsync(() -> ReceiverProcess.start(dir, Cast.SCRIPT));
    try (WeirProcess node = WeirProcess.start(dir, "node");
        ReceiverProcess receiver = started(starting);
        Publisher publisher = new Publisher(node.client())) {
      subscribe(node.client(), receiver);
      progress.phase(
          "Publishing "
              + options.messages()
              + " shipment updates for "
              + Cast.MEMBERS.size()
              + " subscribers (seed "
              + options.seed()
              + ")");
      receiver.client().reset();
      long startNs = System.nanoTime();
      List<Future<Void>> publishes =
          publisher.start(ShipmentUpdates.of(options.messages(), options.seed()));
      awaitSettled(
          new Watch(node.client(), receiver.client(), publisher, options, startNs), publishes);
      long durationMs = (System.nanoTime() - startNs) / 1_000_000;
      Publisher.requireAll(publishes);
      return judge(node, receiver, publisher, durationMs);
    }
  }

  private static ReceiverProcess started(CompletableFuture<ReceiverProcess> starting) {
    try {
      return starting.join();
    } catch (CompletionException e) {
      throw e.getCause() instanceof ScenarioException known ? known : e;
    }
  }

  private static void subscribe(WeirClient node, ReceiverProcess receiver) {
    node.put("/v1/quotas/" + Cast.sharedQuotaId(), Cast.sharedQuota());
    for (Cast.Member member : Cast.MEMBERS) {
      node.put("/v1/subscribers/" + member.id(), member.configuration(receiver.url(member.path())));
    }
  }

  /** Ends, too, when nothing more can be expected: the verdict then names what is pending. */
  private void awaitSettled(Watch watch, List<Future<Void>> publishes) {
    // The slowest subscriber is paced at about 6/s through its 429s and gets 6 in 100.
    long limitMs = 90_000 + options.messages() * 40L;
    while (true) {
      DemoView view = watch.look();
      progress.update(view);
      boolean allPublished = publishes.stream().allMatch(Future::isDone);
      if (allPublished && view.settled() >= view.accepted() || view.elapsedMs() > limitMs) {
        return;
      }
      pause();
    }
  }

  private static void pause() {
    try {
      Thread.sleep(POLL.toMillis());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new ScenarioException("interrupted", e);
    }
  }

  private DemoReport judge(
      WeirProcess node, ReceiverProcess receiver, Publisher publisher, long durationMs) {
    progress.end();
    progress.phase("Comparing what was published, what the node says and what arrived");
    WeirClient client = node.client();
    List<JsonObject> deliveries = deliveries(client, publisher.ids().values());
    List<JsonObject> subscribers = client.list("/v1/subscribers");
    Map<String, Allowance> quotas = quotas(client, subscribers);
    JsonObject balance = client.get("/v1/balance");
    Arrivals arrivals = receiver.finish();
    int exitCode = node.terminate(STOP_WITHIN);
    if (exitCode != 0 && exitCode != 143) {
      throw new ScenarioException("the node ended with code " + exitCode + ":\n" + node.tail(20));
    }
    return Verdict.of(
        new Verdict.Facts(
            Map.copyOf(publisher.accepted()),
            deliveries,
            subscribers,
            quotas,
            balance,
            arrivals,
            durationMs));
  }

  private static List<JsonObject> deliveries(WeirClient node, Collection<DeliveryId> ids) {
    return ids.parallelStream().map(id -> node.delivery(id).json()).toList();
  }

  private static Map<String, Allowance> quotas(WeirClient node, List<JsonObject> subscribers) {
    Map<String, Allowance> quotas = new LinkedHashMap<>();
    for (JsonObject view : subscribers) {
      if (view.getString("quota") == null) {
        quotas.put(view.getString("id"), allowance(view));
      }
    }
    quotas.put(Cast.sharedQuotaId(), allowance(node.get("/v1/quotas/" + Cast.sharedQuotaId())));
    return quotas;
  }

  private static Allowance allowance(JsonObject view) {
    return new Allowance(Rate.parse(view.getString("rate")), view.getInteger("burst"));
  }
}
