package dev.weir.node;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.domain.outcome.RetryPolicy;
import dev.weir.domain.quota.Rate;
import dev.weir.node.Endpoint.Arrival;
import dev.weir.protocol.store.InspectionStore.Change;
import dev.weir.protocol.store.InspectionStore.State;
import dev.weir.testkit.store.InMemoryStore;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Backlogs that wait: what they cost, whom they hold up, and that somebody comes back for them. */
@Timeout(60)
class WaitingTest {

  private final InMemoryStore real = new InMemoryStore(InstantSource.system());
  private RunningNode running = RunningNode.startOn(real);

  @AfterEach
  void close() {
    running.close();
  }

  @Test
  void aBacklogGoesOnAfterARestartAndThroughRateChanges() throws Exception {
    Endpoint endpoint = Endpoint.answering(running.vertx, 200);
    running.put(RunningNode.subscriber("s", endpoint.uri()), "20/s", 1);
    running.publishMany("s", 40);
    endpoint.await(5, 5_000);
    running.close();

    running = RunningNode.startOn(real);
    Endpoint again = Endpoint.answering(running.vertx, 200);
    running.put(RunningNode.subscriber("s", again.uri()), "20/s", 1);
    again.await(5, 5_000);
    running.put(RunningNode.subscriber("s", again.uri()), "4/s", 1);
    again.await(again.arrivals().size() + 2, 5_000);
    running.put(RunningNode.subscriber("s", again.uri()), "20/s", 1);

    running.awaitTotals(totals -> totals.delivered() == 40, 10_000);
    assertThat(Envelopes.excess(again.arrivals(), Rate.parse("20/s"), 1)).isLessThanOrEqualTo(0);
  }

  @Test
  void oneAnswerOf429StopsAThousandAndALaterSmallerOneDoesNotOpenSooner() throws Exception {
    AtomicLong closedAt = new AtomicLong();
    Endpoint endpoint =
        Endpoint.start(
            running.vertx,
            (request, n) -> {
              if (n < 5) {
                request.response().end();
              } else if (n == 5) {
                closedAt.set(System.nanoTime());
                request.response().setStatusCode(429).putHeader("Retry-After", "3").end();
              } else if (System.nanoTime() - closedAt.get() < TimeUnit.SECONDS.toNanos(2)) {
                // In flight when the gate closed; asks for less, and later.
                running.vertx.setTimer(
                    100,
                    late ->
                        request.response().setStatusCode(429).putHeader("Retry-After", "1").end());
              } else {
                request.response().end();
              }
            });
    running.put(
        RunningNode.withMaxInFlight(RunningNode.subscriber("s", endpoint.uri()), 4), "100/s", 4);
    running.publishMany("s", 1_000);

    List<Arrival> closed = endpoint.await(5, 5_000);
    long closedNanos = closed.get(4).arrivedNanos();
    List<Arrival> reopened = endpoint.await(20, 15_000);

    List<Arrival> whileClosed =
        reopened.stream().filter(one -> secondsAfter(one, closedNanos) < 2.95).toList();
    assertThat(whileClosed).hasSizeLessThan(5 + 4);
    // One probe, then a ramp that begins at a tenth of the rate: no burst.
    long inTheFirstSecond =
        reopened.stream()
            .filter(one -> secondsAfter(one, closedNanos) >= 2.95)
            .filter(one -> secondsAfter(one, closedNanos) < 3.5)
            .count();
    assertThat(inTheFirstSecond).isLessThanOrEqualTo(20);
  }

  private static double secondsAfter(Arrival arrival, long fromNanos) {
    return (arrival.arrivedNanos() - fromNanos) / 1e9;
  }

  @Test
  void beingToldToWaitManyTimesIsNoFailure() throws Exception {
    Endpoint endpoint =
        Endpoint.start(
            running.vertx,
            (request, n) ->
                request
                    .response()
                    .setStatusCode(n <= 6 ? 429 : 200)
                    .putHeader("Retry-After", "0")
                    .end());
    RetryPolicy two =
        new RetryPolicy(
            Duration.ofMillis(20), 1.0, Duration.ofMillis(50), Duration.ofMillis(10), 2);
    running.put(
        RunningNode.withRetry(RunningNode.subscriber("s", endpoint.uri()), two), "unlimited", 2);

    running.publish("s", "m");

    assertThat(running.awaitState("m", "s", State.DONE).delivery().attempts()).isEqualTo(7);
  }

  @Test
  void thoseWhoMerelyWaitCostNextToNothingAndADeliveryFewCalls() throws Exception {
    Endpoint endpoint = Endpoint.answering(running.vertx, 200);
    for (int i = 0; i < 300; i++) {
      running.put(RunningNode.subscriber("slow" + i, endpoint.uri()), "1/h", 1);
      running.publishMany("slow" + i, 3);
    }
    running.awaitTotals(totals -> totals.delivered() == 300, 20_000);
    int before = claims();
    // There is no signal for nothing: two seconds of it are counted.
    TimeUnit.SECONDS.sleep(2);
    // Each may look once more after its only token; nobody polls.
    assertThat(claims() - before).isLessThan(300);

    running.put(RunningNode.subscriber("quick", endpoint.uri()), "50/s", 2);
    int claims = claims();
    int settles = running.store.calls("settle");
    running.publishMany("quick", 100);
    running.awaitTotals(totals -> totals.delivered() == 400, 10_000);
    assertThat(claims() - claims + running.store.calls("settle") - settles).isLessThan(1_000);
  }

  private int claims() {
    return running.store.calls("claim");
  }

  @Test
  void aRedrivenDeliveryHasAFreshBudgetAndDiesAgainVisibly() throws Exception {
    Endpoint endpoint = Endpoint.answering(running.vertx, 500);
    RetryPolicy two =
        new RetryPolicy(
            Duration.ofMillis(20), 1.0, Duration.ofMillis(50), Duration.ofMillis(10), 2);
    running.put(
        RunningNode.withRetry(RunningNode.subscriber("s", endpoint.uri()), two), "unlimited", 2);
    running.publish("s", "m");
    assertThat(running.awaitState("m", "s", State.DEAD).delivery().attempts()).isEqualTo(2);

    for (int redrives = 1; redrives <= 2; redrives++) {
      Change change =
          running.store.inspection().redrive(running.delivery("m", "s").delivery().id()).await();
      assertThat(change).isEqualTo(Change.CHANGED);
      running.node.wakes().due(List.of("s"));
      endpoint.await(2 + 2 * redrives, 5_000);
      assertThat(running.awaitState("m", "s", State.DEAD).redrives()).isEqualTo(redrives);
    }

    assertThat(endpoint.arrivals()).extracting(Arrival::attempt).containsExactly(1, 2, 3, 4, 5, 6);
    assertThat(endpoint.arrivals()).extracting(Arrival::key).containsOnly("m:s");
  }

  @Test
  void deletedSubscribersLeaveNoVerticleAndNoSeries() throws Exception {
    running.close();
    running = RunningNode.startWith(Duration.ofMillis(100));
    Endpoint endpoint = Endpoint.answering(running.vertx, 200);
    useAndDelete(endpoint, 0, 20);
    int meters = running.registry.getMeters().size();
    int verticles = running.vertx.deploymentIDs().size();

    useAndDelete(endpoint, 20, 320);

    assertThat(running.registry.getMeters()).hasSize(meters);
    assertThat(running.vertx.deploymentIDs()).hasSizeLessThanOrEqualTo(verticles);
  }

  private void useAndDelete(Endpoint endpoint, int from, int to) throws Exception {
    for (int i = from; i < to; i++) {
      running.put(RunningNode.subscriber("churn" + i, endpoint.uri()), "5/s", 2);
      running.publish("churn" + i, "m");
    }
    endpoint.await(to, 10_000);
    for (int i = from; i < to; i++) {
      running.awaitState("m", "churn" + i, State.DONE);
      running.store.config().deleteSubscriber("churn" + i).await();
      running.node.wakes().changed("churn" + i);
    }
    for (int i = from; i < to; i++) {
      running.awaitPassive("churn" + i);
    }
  }
}
