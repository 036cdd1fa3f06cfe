package dev.weir.app.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.scenarios.client.Answer;
import dev.weir.scenarios.client.WeirClient;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

/**
 * Producers that publish one message after the other and repeat each until it is taken, as the 503
 * asks them to. What they were answered is the test's side of the balance.
 */
final class Load implements AutoCloseable {

  /** So that a node that refuses at once isn't asked in a hot loop. */
  private static final Duration BEFORE_REPEAT = Duration.ofMillis(20);

  private static final Duration END_LIMIT = Duration.ofSeconds(60);

  private final WeirClient client;
  private final List<List<String>> targets;
  private final String prefix;
  private final String body;
  private final int most;
  private final AtomicInteger next = new AtomicInteger();
  private final Map<Integer, AtomicInteger> statuses = new ConcurrentHashMap<>();
  private final Set<String> accepted = ConcurrentHashMap.newKeySet();
  private final ConcurrentLinkedQueue<Throwable> failures = new ConcurrentLinkedQueue<>();
  private final List<Thread> producers = new ArrayList<>();
  private volatile boolean ending;

  private Load(
      WeirClient client, String prefix, List<List<String>> targets, int bodyBytes, int most) {
    this.client = client;
    this.prefix = prefix;
    this.targets = targets;
    this.body = "x".repeat(bodyBytes);
    this.most = most;
  }

  /**
   * @param prefix of the message ids
   * @param targets of the messages in turn
   * @param most messages; fewer when it is ended before
   */
  static Load start(
      WeirClient client,
      String prefix,
      int producers,
      List<List<String>> targets,
      int bodyBytes,
      int most) {
    Load load = new Load(client, prefix, targets, bodyBytes, most);
    for (int i = 0; i < producers; i++) {
      Thread producer = new Thread(load::produce, "producer-" + i);
      producer.setDaemon(true);
      load.producers.add(producer);
      producer.start();
    }
    return load;
  }

  private void produce() {
    try {
      for (int number = next.getAndIncrement();
          number < most && !ending;
          number = next.getAndIncrement()) {
        publish(number);
      }
    } catch (RuntimeException | AssertionError e) {
      failures.add(e);
    }
  }

  private void publish(int number) {
    List<String> to = targets.get(number % targets.size());
    String id = prefix + number;
    String request =
        new JsonObject().put("to", new JsonArray(to)).put("id", id).put("body", body).encode();
    long untilNanos = System.nanoTime() + END_LIMIT.toNanos();
    while (true) {
      Answer answer = client.publish(request);
      statuses.computeIfAbsent(answer.status(), first -> new AtomicInteger()).incrementAndGet();
      if (answer.status() == 202) {
        to.forEach(subscriber -> accepted.add(id + ":" + subscriber));
        return;
      }
      if (answer.status() != 503 || System.nanoTime() > untilNanos) {
        throw new AssertionError("publish was answered " + answer.status() + ": " + answer.body());
      }
      LockSupport.parkNanos(BEFORE_REPEAT.toNanos());
    }
  }

  /** Delivery keys of what was answered 202. */
  Set<String> accepted() {
    return accepted;
  }

  int answered(int status) {
    AtomicInteger count = statuses.get(status);
    return count == null ? 0 : count.get();
  }

  void awaitAccepted(int deliveries, Duration limit) {
    Site.await(
        limit,
        () -> accepted.size() >= deliveries || !failures.isEmpty(),
        () -> accepted.size() + " taken of " + deliveries + ", answers " + statuses);
    assertThat(failures).isEmpty();
  }

  /** Begins nothing new and returns when all that was begun is taken. */
  Set<String> end() throws InterruptedException {
    ending = true;
    return join();
  }

  /** Returns when all of it is taken. */
  Set<String> join() throws InterruptedException {
    for (Thread producer : producers) {
      producer.join(END_LIMIT.toMillis());
      assertThat(producer.isAlive()).as("a producer that still waits").isFalse();
    }
    assertThat(failures).isEmpty();
    return accepted;
  }

  @Override
  public void close() {
    ending = true;
  }
}
