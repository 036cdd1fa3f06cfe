package dev.weir.scenarios.demo;

import dev.weir.domain.message.DeliveryId;
import dev.weir.scenarios.client.Answer;
import dev.weir.scenarios.client.WeirClient;
import dev.weir.scenarios.demo.ShipmentUpdates.Update;
import dev.weir.scenarios.demo.Verdict.Accepted;
import dev.weir.scenarios.process.ScenarioException;
import io.vertx.core.json.JsonArray;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;

/** Publishes many updates at once and keeps what each was answered. */
public final class Publisher implements AutoCloseable {

  private static final int AT_ONCE = 16;

  private final WeirClient node;
  private final ExecutorService threads = Executors.newFixedThreadPool(AT_ONCE);
  private final Map<String, Accepted> accepted = new ConcurrentHashMap<>();
  private final Map<String, DeliveryId> ids = new ConcurrentHashMap<>();
  private final AtomicInteger published = new AtomicInteger();

  public Publisher(WeirClient node) {
    this.node = node;
  }

  public int published() {
    return published.get();
  }

  /** By idempotency key. */
  public Map<String, Accepted> accepted() {
    return accepted;
  }

  public Map<String, DeliveryId> ids() {
    return ids;
  }

  public List<Future<Void>> start(List<Update> updates) {
    return updates.stream()
        .map(update -> threads.submit((Callable<Void>) () -> publish(update)))
        .toList();
  }

  @SuppressWarnings("NullAway") // Callable<Void> has nothing but null to return
  private Void publish(Update update) {
    Answer answer = node.publish(update.request());
    JsonArray deliveries = answer.json().getJsonArray("deliveries");
    String sha256 = update.sha256();
    for (int i = 0; i < deliveries.size(); i++) {
      String subscriber = deliveries.getJsonObject(i).getString("subscriber");
      DeliveryId id = new DeliveryId(update.id(), subscriber);
      String key = deliveries.getJsonObject(i).getString("key");
      if (!id.key().equals(key)) {
        throw new ScenarioException("delivery of " + id + " has the key " + key);
      }
      accepted.put(key, new Accepted(subscriber, sha256));
      ids.put(key, id);
    }
    if (deliveries.size() != update.to().size()) {
      throw new ScenarioException(
          update.id() + " was for " + update.to() + ", and answered with " + deliveries);
    }
    published.incrementAndGet();
    return null;
  }

  /** Throws what the first publish that failed threw. */
  public static void requireAll(List<Future<Void>> publishes) {
    try {
      for (Future<Void> publish : publishes) {
        publish.get();
      }
    } catch (ExecutionException e) {
      throw new ScenarioException("a publish failed: " + e.getCause(), e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new ScenarioException("interrupted", e);
    }
  }

  @Override
  public void close() {
    threads.shutdownNow();
  }
}
