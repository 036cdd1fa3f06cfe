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
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.function.IntFunction;
import java.util.function.Supplier;

/**
 * What a delivery costs Redis: publishes, claims and settles many small messages for one subscriber
 * over one connection, with an append-only file that is synced once a second (and not rewritten
 * meanwhile, which would come at random and is timed apart by Redis), and prints the CPU time that
 * Redis used per delivery and step. A program for people, not a test.
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
    try (RedisProcess redis =
        RedisProcess.start("appendfsync everysec", "auto-aof-rewrite-percentage 0")) {
      Context context = vertx.getOrCreateContext();
      Supplier<Future<RedisStore>> open =
          () ->
              RedisStore.open(
                  vertx,
                  new RedisLanes(vertx, RedisUrl.local(redis.port(), null), LaneOptions.defaults()),
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
    double before = cpuMicros();
    publishAll();
    double published = (cpuMicros() - before) / deliveries;
    report("publish, one message a call", published);
    report("together", published + work());
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

  /** As many claims as fit the in-flight cap, then their settles: each kind is timed by itself. */
  private double work() {
    double claimMicros = 0;
    double settleMicros = 0;
    int rounds = Math.max(1, Subscriber.MAX_IN_FLIGHT / batch);
    for (int done = 0; done < deliveries; ) {
      double before = cpuMicros();
      List<List<Claimed>> batches = new ArrayList<>();
      for (int i = 0; i < rounds && done < deliveries; i++) {
        List<Claimed> claimed = claim();
        batches.add(claimed);
        done += claimed.size();
      }
      double between = cpuMicros();
      for (List<Claimed> claimed : batches) {
        List<Settlement> settlements = claimed.stream().map(StorePace::delivered).toList();
        Harness.await(on(() -> store.deliveries().settle(partition, settlements)));
      }
      claimMicros += between - before;
      settleMicros += cpuMicros() - between;
    }
    report("claim, " + batch + " a call", claimMicros / deliveries);
    report("settle, " + batch + " a call", settleMicros / deliveries);
    return (claimMicros + settleMicros) / deliveries;
  }

  private List<Claimed> claim() {
    ClaimId id = new ClaimId(epoch, "node_1", ++nonce);
    List<ClaimRequest> wanted = List.of(new ClaimRequest("a", batch));
    ClaimReply reply =
        Harness.await(on(() -> store.deliveries().claim(partition, id, wanted, 1 << 20))).get(0);
    if (reply.deliveries().isEmpty()) {
      throw new IllegalStateException("nothing to claim: " + reply.limit());
    }
    return reply.deliveries();
  }

  private static void report(String step, double micros) {
    System.out.printf(Locale.ROOT, "%-30s %6.1f µs of Redis' CPU a delivery%n", step, micros);
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
