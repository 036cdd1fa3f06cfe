package dev.weir.scenarios.faults;

import dev.weir.domain.message.DeliveryId;
import dev.weir.domain.message.MessageId;
import dev.weir.scenarios.client.Answer;
import dev.weir.scenarios.client.WeirClient;
import dev.weir.scenarios.process.ScenarioException;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Producers that go on through every fault, as good producers do: a publish that was refused or got
 * no answer is handed in again, the same, until it is answered 202.
 */
final class Load implements AutoCloseable {

  private static final int PRODUCERS = 4;
  private static final long PATIENCE_NS = TimeUnit.SECONDS.toNanos(60);

  /** Leaves the node room: the load must not outrun what the subscribers may take. */
  private static final long PAUSE_MS = 15;

  private final WeirClient node;
  private final List<String> subscribers;
  private final ExecutorService threads = Executors.newFixedThreadPool(PRODUCERS);
  private final List<Future<?>> producers = new ArrayList<>();
  private final Map<String, DeliveryId> accepted = new ConcurrentHashMap<>();
  private final AtomicLong next = new AtomicLong();
  private final AtomicLong refused = new AtomicLong();
  private final AtomicLong unanswered = new AtomicLong();
  private volatile boolean stopping;

  Load(WeirClient node, List<String> subscribers) {
    this.node = node;
    this.subscribers = subscribers;
  }

  void start() {
    for (int i = 0; i < PRODUCERS; i++) {
      producers.add(threads.submit(this::produce));
    }
  }

  /** Ends when each producer's last publish is answered. */
  void stop() {
    stopping = true;
    try {
      for (Future<?> producer : producers) {
        producer.get();
      }
    } catch (ExecutionException e) {
      throw new ScenarioException("a producer gave up: " + e.getCause(), e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new ScenarioException("interrupted", e);
    }
  }

  Map<String, DeliveryId> accepted() {
    return accepted;
  }

  long refused() {
    return refused.get();
  }

  long unanswered() {
    return unanswered.get();
  }

  private void produce() {
    try {
      while (!stopping) {
        publish(next.getAndIncrement());
        Thread.sleep(PAUSE_MS);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void publish(long number) throws InterruptedException {
    MessageId message = MessageId.of("fault_" + number, 1);
    String first = subscribers.get((int) (number % subscribers.size()));
    String second = subscribers.get((int) ((number + 1) % subscribers.size()));
    String json =
        new JsonObject()
            .put("to", new JsonArray().add(first).add(second))
            .put("id", message.id())
            .put("version", message.version())
            .put("body", new JsonObject().put("n", number))
            .encode();
    long deadlineNs = System.nanoTime() + PATIENCE_NS;
    while (!taken(json)) {
      if (System.nanoTime() > deadlineNs) {
        throw new ScenarioException(message + " was not taken within a minute");
      }
      Thread.sleep(PAUSE_MS);
    }
    for (String subscriber : List.of(first, second)) {
      DeliveryId id = new DeliveryId(message, subscriber);
      accepted.put(id.key(), id);
    }
  }

  private boolean taken(String json) {
    try {
      Answer answer = node.send("POST", "/v1/queue/publish", json, Map.of());
      if (answer.status() == 503) {
        refused.incrementAndGet();
        return false;
      }
      if (answer.status() != 202) {
        throw new ScenarioException(
            "a publish was answered " + answer.status() + ": " + answer.body());
      }
      return true;
    } catch (IOException nobodyThere) {
      unanswered.incrementAndGet();
      return false;
    }
  }

  @Override
  public void close() {
    threads.shutdownNow();
  }
}
