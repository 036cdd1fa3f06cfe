package dev.weir.store;

import dev.weir.domain.message.Envelope;
import dev.weir.domain.message.MessageId;
import dev.weir.domain.outcome.Outcome;
import dev.weir.domain.outcome.RetryPolicy;
import dev.weir.domain.outcome.StatusPolicy;
import dev.weir.domain.quota.Quota;
import dev.weir.domain.quota.Rate;
import dev.weir.domain.subscriber.Subscriber;
import dev.weir.domain.subscriber.Subscriber.OnAmbiguous;
import dev.weir.protocol.store.ClaimId;
import dev.weir.protocol.store.DeliveryStore.ClaimReply;
import dev.weir.protocol.store.DeliveryStore.ClaimRequest;
import dev.weir.protocol.store.DeliveryStore.Claimed;
import dev.weir.protocol.store.DeliveryStore.Settlement;
import dev.weir.protocol.store.PublishStore.Publication;
import dev.weir.store.connection.LaneOptions;
import dev.weir.store.connection.RedisLanes;
import dev.weir.store.connection.RedisUrl;
import dev.weir.testkit.redis.RedisProcess;
import dev.weir.testkit.store.StoreContract.Harness;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.function.IntFunction;
import java.util.function.Supplier;

/**
 * What a delivery costs Redis: publishes, claims and settles many small messages for one subscriber
 * over one connection, with an append-only file that is synced once a second, and prints the CPU
 * time that Redis used per delivery and step. A program for people, not a test.
 *
 * <p>Arguments: deliveries (100,000), batch (64), body bytes (250), rate (unlimited).
 */
final class StorePace {

  private static final int PUBLISHES_UNDER_WAY = 256;

  private final RedisProcess redis;
  private final RedisStore store;
  private final Context context;
  private final int deliveries;
  private final int batch;
  private final Buffer body;
  private final int partition;
  private final long epoch;
  private long nonce;

  private StorePace(
      RedisProcess redis, RedisStore store, Context context, int deliveries, int batch, int bytes) {
    this.redis = redis;
    this.store = store;
    this.context = context;
    this.deliveries = deliveries;
    this.batch = batch;
    this.body = Buffer.buffer("x".repeat(bytes));
    this.partition = new Partitions(RedisStore.DEFAULT_PARTITIONS).of("a");
    this.epoch = Harness.await(on(() -> store.deliveries().beginEpoch()));
  }

  public static void main(String[] args) {
    int deliveries = args.length > 0 ? Integer.parseInt(args[0]) : 100_000;
    int batch = args.length > 1 ? Integer.parseInt(args[1]) : 64;
    int bytes = args.length > 2 ? Integer.parseInt(args[2]) : 250;
    String rate = args.length > 3 ? args[3] : "unlimited";
    Vertx vertx = Vertx.vertx();
    try (RedisProcess redis = RedisProcess.start("appendfsync everysec")) {
      Context context = vertx.getOrCreateContext();
      Supplier<Future<RedisStore>> open =
          () ->
              RedisStore.open(
                  vertx,
                  new RedisLanes(
                      vertx, RedisUrl.local(redis.port(), null), LaneOptions.defaults()),
                  StoreConfig.DEFAULT,
                  RedisStore.DEFAULT_PARTITIONS);
      RedisStore store = Harness.await(on(context, open));
      new StorePace(redis, store, context, deliveries, batch, bytes).run(rate);
      Harness.await(store.close());
    } finally {
      Harness.await(vertx.close());
    }
  }

  private static <T> Future<T> on(Context context, Supplier<Future<T>> call) {
    Promise<T> done = Promise.promise();
    context.runOnContext(now -> call.get().onComplete(done));
    return done.future();
  }

  private <T> Future<T> on(Supplier<Future<T>> call) {
    return on(context, call);
  }

  private void run(String rate) {
    Harness.await(
        on(
            () ->
                store
                    .config()
                    .putSubscriber(subscriber(), new Quota("a", Rate.parse(rate), 1_000_000))));
    double published = measure("publish, one message a call", this::publishAll);
    double worked = measure("claim and settle, " + batch + " a call", this::work);
    System.out.printf(Locale.ROOT, "%-40s %6.1f µs of CPU%n", "together", published + worked);
  }

  private double measure(String step, Runnable work) {
    double cpuBefore = cpuMicros();
    long nanosBefore = System.nanoTime();
    work.run();
    double each = (cpuMicros() - cpuBefore) / deliveries;
    double wall = (System.nanoTime() - nanosBefore) / 1_000.0 / deliveries;
    System.out.printf(
        Locale.ROOT, "%-40s %6.1f µs of CPU, %6.1f µs in all, a delivery%n", step, each, wall);
    return each;
  }

  private double cpuMicros() {
    String info = Objects.requireNonNull((String) redis.call("INFO", "cpu"));
    double seconds = 0;
    for (String line : info.split("\r\n", -1)) {
      if (line.startsWith("used_cpu_user:") || line.startsWith("used_cpu_sys:")) {
        seconds += Double.parseDouble(line.substring(line.indexOf(':') + 1));
      }
    }
    return seconds * 1e6;
  }

  private void publishAll() {
    for (int from = 0; from < deliveries; from += 10_000) {
      int to = Math.min(deliveries, from + 10_000);
      int start = from;
      Harness.await(on(() -> window(start, to, this::publish)));
    }
  }

  /** Calls made side by side, a bounded number at once. */
  private static <T> Future<Void> window(int from, int to, IntFunction<Future<T>> call) {
    Promise<Void> done = Promise.promise();
    int[] next = {from};
    int[] left = {to - from};
    Runnable[] step = new Runnable[1];
    step[0] =
        () -> {
          if (next[0] < to) {
            call.apply(next[0]++)
                .onFailure(done::tryFail)
                .onSuccess(
                    answer -> {
                      if (--left[0] == 0) {
                        done.tryComplete();
                      }
                      step[0].run();
                    });
          }
        };
    for (int i = 0; i < PUBLISHES_UNDER_WAY; i++) {
      step[0].run();
    }
    return done.future();
  }

  private Future<?> publish(int number) {
    MessageId id = MessageId.of("shp_" + number, 1);
    Envelope envelope =
        new Envelope("shipment.updated", "application/json", Map.of(), null, Envelope.NONE);
    return store
        .publishes()
        .publish(new Publication(id, envelope, body, List.of("a"), Envelope.NONE, 0));
  }

  private void work() {
    long claimNanos = 0;
    long settleNanos = 0;
    for (int done = 0; done < deliveries; ) {
      long begin = System.nanoTime();
      ClaimId claim = new ClaimId(epoch, "node_1", ++nonce);
      List<ClaimReply> replies =
          Harness.await(
              on(
                  () ->
                      store
                          .deliveries()
                          .claim(
                              partition, claim, List.of(new ClaimRequest("a", batch)), 1 << 20)));
      List<Claimed> claimed = replies.get(0).deliveries();
      if (claimed.isEmpty()) {
        throw new IllegalStateException("nothing to claim: " + replies.get(0).limit());
      }
      long between = System.nanoTime();
      Harness.await(
          on(
              () ->
                  store
                      .deliveries()
                      .settle(partition, claimed.stream().map(StorePace::delivered).toList())));
      claimNanos += between - begin;
      settleNanos += System.nanoTime() - between;
      done += claimed.size();
    }
    System.out.printf(
        Locale.ROOT,
        "  by wall clock: claim %.1f µs, settle %.1f µs a delivery%n",
        claimNanos / 1_000.0 / deliveries,
        settleNanos / 1_000.0 / deliveries);
  }

  private static Settlement delivered(Claimed claimed) {
    return new Settlement(
        claimed.id(),
        claimed.sequence(),
        claimed.claim(),
        new Outcome.Delivered(),
        "{\"attempt\":1,\"status\":200,\"latencyMs\":12,\"sentAt\":1790000000000}",
        true);
  }

  private static Subscriber subscriber() {
    return new Subscriber(
        "a",
        URI.create("http://127.0.0.1:9/hook"),
        "POST",
        "a",
        Subscriber.MAX_IN_FLIGHT,
        Duration.ofSeconds(10),
        RetryPolicy.DEFAULT,
        StatusPolicy.DEFAULT,
        OnAmbiguous.RETRY,
        Subscriber.DEFAULT_OBJECTIVE,
        Map.of(),
        false);
  }
}
