package dev.weir.node;

import dev.weir.domain.message.DeliveryId;
import dev.weir.domain.message.Envelope;
import dev.weir.domain.message.MessageId;
import dev.weir.domain.outcome.RetryPolicy;
import dev.weir.domain.outcome.StatusPolicy;
import dev.weir.domain.quota.Quota;
import dev.weir.domain.quota.Rate;
import dev.weir.domain.subscriber.Subscriber;
import dev.weir.domain.subscriber.Subscriber.OnAmbiguous;
import dev.weir.protocol.bus.Addresses;
import dev.weir.protocol.bus.SubscriberProtocol;
import dev.weir.protocol.store.InspectionStore.DeliveryView;
import dev.weir.protocol.store.InspectionStore.State;
import dev.weir.protocol.store.InspectionStore.Totals;
import dev.weir.protocol.store.PublishStore.Publication;
import dev.weir.protocol.store.PublishStore.Published;
import dev.weir.protocol.store.Store;
import dev.weir.testkit.store.FaultyStore;
import dev.weir.testkit.store.InMemoryStore;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.dns.AddressResolverOptions;
import java.net.URI;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Predicate;

/** A node on an in-memory store that can be told to fail, for one test. */
final class RunningNode implements AutoCloseable {

  static final int LANES = 2;

  final Vertx vertx;
  final FaultyStore store;
  final SimpleMeterRegistry registry = new SimpleMeterRegistry();
  final Node node;

  private RunningNode(Store real, Duration idleAfter, AddressResolverOptions resolver) {
    this.vertx =
        Vertx.vertx(
            new VertxOptions().setEventLoopPoolSize(LANES).setAddressResolverOptions(resolver));
    this.store = new FaultyStore(real);
    NodeConfig defaults = NodeConfig.defaults("n1", LANES);
    NodeConfig config =
        new NodeConfig(
            defaults.name(),
            defaults.lanes(),
            defaults.maxAttempts(),
            defaults.maxBodyBytes(),
            idleAfter,
            defaults.deadLetterRetention());
    this.node =
        Node.start(vertx, new Node.Parts(config, store, registry, Checkpoints.NONE, () -> true))
            .await();
  }

  static RunningNode start() {
    return startOn(new InMemoryStore(InstantSource.system()));
  }

  static RunningNode startOn(Store real) {
    return new RunningNode(real, Duration.ofSeconds(10), new AddressResolverOptions());
  }

  static RunningNode startWith(Duration idleAfter) {
    return new RunningNode(
        new InMemoryStore(InstantSource.system()), idleAfter, new AddressResolverOptions());
  }

  /** Names are looked up at one server, with the negative cache that the application sets. */
  static RunningNode resolvingBy(NameServer names) {
    return new RunningNode(
        new InMemoryStore(InstantSource.system()),
        Duration.ofSeconds(10),
        new AddressResolverOptions()
            .addServer("127.0.0.1:" + names.port())
            .setSearchDomains(List.of())
            .setQueryTimeout(500)
            .setCacheNegativeTimeToLive(1));
  }

  @Override
  public void close() {
    vertx.close().await();
  }

  /** A subscriber with short backoffs; change it with the wither that fits. */
  static Subscriber subscriber(String id, URI endpoint) {
    return new Subscriber(
        id,
        endpoint,
        "POST",
        id,
        Subscriber.DEFAULT_IN_FLIGHT,
        Duration.ofSeconds(5),
        new RetryPolicy(
            Duration.ofMillis(20), 1.0, Duration.ofMillis(50), Duration.ofMillis(10), 16),
        StatusPolicy.DEFAULT,
        OnAmbiguous.RETRY,
        Subscriber.DEFAULT_OBJECTIVE,
        Map.of(),
        true);
  }

  static Subscriber withTimeout(Subscriber from, Duration timeout) {
    return new Subscriber(
        from.id(),
        from.endpoint(),
        from.method(),
        from.quotaId(),
        from.maxInFlight(),
        timeout,
        from.retry(),
        from.statusPolicy(),
        from.onAmbiguous(),
        from.objective(),
        from.headers(),
        from.stampAttempts());
  }

  static Subscriber withRetry(Subscriber from, RetryPolicy retry) {
    return new Subscriber(
        from.id(),
        from.endpoint(),
        from.method(),
        from.quotaId(),
        from.maxInFlight(),
        from.timeout(),
        retry,
        from.statusPolicy(),
        from.onAmbiguous(),
        from.objective(),
        from.headers(),
        from.stampAttempts());
  }

  static Subscriber withMaxInFlight(Subscriber from, int maxInFlight) {
    return new Subscriber(
        from.id(),
        from.endpoint(),
        from.method(),
        from.quotaId(),
        maxInFlight,
        from.timeout(),
        from.retry(),
        from.statusPolicy(),
        from.onAmbiguous(),
        from.objective(),
        from.headers(),
        from.stampAttempts());
  }

  static Subscriber sharing(Subscriber from, String quotaId) {
    return new Subscriber(
        from.id(),
        from.endpoint(),
        from.method(),
        quotaId,
        from.maxInFlight(),
        from.timeout(),
        from.retry(),
        from.statusPolicy(),
        from.onAmbiguous(),
        from.objective(),
        from.headers(),
        from.stampAttempts());
  }

  void put(Subscriber subscriber, String rate, int burst) {
    Quota own = new Quota(subscriber.id(), Rate.parse(rate), burst);
    store.config().putSubscriber(subscriber, own).await();
    node.wakes().changed(subscriber.id());
  }

  void publish(String subscriber, String message) {
    publish(subscriber, message, Buffer.buffer("{}"));
  }

  void publish(String subscriber, String message, Buffer body) {
    node.wakes().due(publishTo(store, subscriber, message, body));
  }

  /** The hint is lost. */
  void publishSilently(String subscriber, String message) {
    publishTo(store, subscriber, message, Buffer.buffer("{}"));
  }

  /** Past the faults. */
  void realPublish(Store real, String subscriber, String message) {
    node.wakes().due(publishTo(real, subscriber, message, Buffer.buffer("{}")));
  }

  private static List<String> publishTo(
      Store store, String subscriber, String message, Buffer body) {
    Published published =
        store
            .publishes()
            .publish(
                new Publication(
                    MessageId.of(message),
                    new Envelope(null, "application/json", Map.of(), null, Envelope.NONE),
                    body,
                    List.of(subscriber),
                    Envelope.NONE,
                    0))
            .await();
    return ((Published.Accepted) published).created();
  }

  void publishMany(String subscriber, int count) {
    for (int i = 0; i < count; i++) {
      publish(subscriber, subscriber + "-m" + i);
    }
  }

  DeliveryView delivery(String message, String subscriber) {
    return store
        .inspection()
        .delivery(new DeliveryId(MessageId.of(message), subscriber))
        .await()
        .orElseThrow();
  }

  DeliveryView awaitState(String message, String subscriber, State state) throws Exception {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(10);
    while (true) {
      DeliveryView view = delivery(message, subscriber);
      if (view.delivery().state() == state) {
        return view;
      }
      if (System.nanoTime() > deadline) {
        throw new TimeoutException(message + " is " + view.delivery().state() + ": " + view);
      }
      TimeUnit.MILLISECONDS.sleep(5);
    }
  }

  /** Polls the store, which has no signal of its own. */
  Totals awaitTotals(Predicate<Totals> enough, long withinMs) throws Exception {
    return awaitReal(store, enough, withinMs);
  }

  Totals awaitReal(Store store, Predicate<Totals> enough, long withinMs) throws Exception {
    long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(withinMs);
    while (true) {
      Totals totals = store.inspection().totals().await();
      if (enough.test(totals)) {
        return totals;
      }
      if (System.nanoTime() > deadline) {
        throw new TimeoutException("still " + totals);
      }
      TimeUnit.MILLISECONDS.sleep(5);
    }
  }

  /** Until the subscriber's verticle is gone. */
  void awaitPassive(String subscriber) throws Exception {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(5);
    while (isListening(subscriber)) {
      if (System.nanoTime() > deadline) {
        throw new TimeoutException(subscriber + " stays active");
      }
      TimeUnit.MILLISECONDS.sleep(20);
    }
  }

  private boolean isListening(String subscriber) {
    return vertx
        .eventBus()
        .sender(Addresses.subscriber(subscriber), Addresses.LOCAL)
        .write(new SubscriberProtocol.Settled(List.of()))
        .map(true)
        .otherwise(false)
        .await();
  }
}
