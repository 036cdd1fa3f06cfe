package dev.weir.node;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.node.Endpoint.Arrival;
import dev.weir.protocol.store.InspectionStore.State;
import dev.weir.protocol.store.InspectionStore.Totals;
import dev.weir.protocol.store.StoreException;
import dev.weir.testkit.store.FaultyStore;
import dev.weir.testkit.store.InMemoryStore;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServerRequest;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class FaultsTest {

  private final InMemoryStore real = new InMemoryStore(InstantSource.system());
  private final RunningNode running = RunningNode.startOn(real);

  @AfterEach
  void close() {
    running.close();
  }

  @ParameterizedTest
  @ValueSource(strings = {"claim", "settle", "release", "setup", "sweep"})
  void everyThirdReplyLostChangesNothing(String method) throws Exception {
    Endpoint endpoint =
        Endpoint.start(
            running.vertx,
            (request, n) -> request.response().setStatusCode(n % 5 == 0 ? 503 : 200).end());
    running.store.on(method).from(call -> call % 3 == 0).loseReply();
    running.put(
        RunningNode.withMaxInFlight(RunningNode.subscriber("s", endpoint.uri()), 1),
        "unlimited",
        2);

    running.publishMany("s", 100);

    running.awaitTotals(totals -> totals.delivered() == 100, 20_000);
    assertThat(endpoint.arrivals()).extracting(Arrival::key).doesNotContainNull();
    // One arrival per attempt, and 503 was answered to a fifth of them.
    long refused = endpoint.arrivals().size() / 5;
    assertThat(endpoint.arrivals()).hasSize((int) (100 + refused));
    assertThat(running.store.inspection().balance().await().problems()).isEmpty();
  }

  @Test
  void aStoreThatComesBackFindsWhatWasAcceptedMeanwhileSettledOnce() throws Exception {
    List<HttpServerRequest> first = new CopyOnWriteArrayList<>();
    Endpoint endpoint =
        Endpoint.start(
            running.vertx,
            (request, n) -> {
              first.add(request);
              if (n >= 32) {
                first.forEach(one -> one.response().end());
                first.clear();
              }
            });
    running.put(RunningNode.subscriber("s", endpoint.uri()), "unlimited", 2);
    running.store.on("settle").always().fail(StoreException.Kind.UNAVAILABLE);
    running.publishMany("s", 200);
    endpoint.await(32, 5_000);

    running.store.heal();

    running.awaitTotals(totals -> totals.delivered() == 200, 10_000);
    assertThat(endpoint.arrivals()).hasSize(200);
  }

  @Test
  void aFencedNodeClaimsNothingMoreAndSaysSo() throws Exception {
    Endpoint endpoint = Endpoint.answering(running.vertx, 200);
    running.put(RunningNode.subscriber("s", endpoint.uri()), "unlimited", 2);
    running.publish("s", "m1");
    running.awaitState("m1", "s", State.DONE);

    real.deliveries().beginEpoch().await();
    running.publish("s", "m2");

    running.awaitTotals(totals -> !running.node.health().ready(), 5_000);
    assertThat(running.node.health().reason()).contains("newer Weir");
    assertThat(endpoint.arrivals()).hasSize(1);
  }

  @Test
  void drainGivesBackWhatIsNotStartedUncounted() throws Exception {
    Endpoint endpoint =
        Endpoint.start(
            running.vertx,
            (request, n) -> running.vertx.setTimer(200, late -> request.response().end()));
    running.put(RunningNode.subscriber("s", endpoint.uri()), "20/s", 5);
    running.publishMany("s", 100);
    endpoint.await(8, 5_000);

    running.node.drain(Duration.ofSeconds(5)).await(10, TimeUnit.SECONDS);

    Totals totals = running.store.inspection().totals().await();
    assertThat(totals.inFlight()).isZero();
    assertThat(totals.delivered()).isEqualTo(endpoint.arrivals().size());
    long counted = 0;
    for (int i = 0; i < 100; i++) {
      counted += running.delivery("s-m" + i, "s").delivery().attempts();
    }
    assertThat(counted).isEqualTo(endpoint.arrivals().size());
  }

  @Test
  void drainResetsWhatDoesNotFinishAndCallsItAmbiguous() throws Exception {
    List<HttpServerRequest> open = new CopyOnWriteArrayList<>();
    Endpoint endpoint = Endpoint.start(running.vertx, (request, n) -> open.add(request));
    running.put(RunningNode.subscriber("s", endpoint.uri()), "unlimited", 2);
    running.publish("s", "m");
    endpoint.await(1, 5_000);

    long begun = System.nanoTime();
    running.node.drain(Duration.ofSeconds(1)).await(10, TimeUnit.SECONDS);

    assertThat(TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - begun)).isLessThan(1_500);
    assertThat(running.delivery("m", "s").delivery().state()).isEqualTo(State.RETRY_SCHEDULED);
    assertThat(running.delivery("m", "s").attempts().get(0))
        .contains("\"error\":\"drained\"", "\"ambiguous\":true");
    assertThat(open).hasSize(1);
  }

  @Test
  void drainEndsInTimeThoughTheStoreIsGone() throws Exception {
    Endpoint endpoint = Endpoint.answering(running.vertx, 200);
    running.put(RunningNode.subscriber("s", endpoint.uri()), "unlimited", 2);
    running.store.on("settle").always().fail(StoreException.Kind.UNAVAILABLE);
    running.publish("s", "m");
    endpoint.await(1, 5_000);

    long begun = System.nanoTime();
    running.node.drain(Duration.ofSeconds(1)).await(10, TimeUnit.SECONDS);

    assertThat(TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - begun)).isLessThan(1_500);
  }

  @Test
  void aNodeThatDiedIsReplacedAndWhatItHeldIsSentAgainUnderTheSameKey() throws Exception {
    Vertx outside = Vertx.vertx();
    try {
      Endpoint endpoint =
          Endpoint.start(
              outside,
              (request, n) -> {
                if (n > 10) {
                  request.response().end();
                }
              });
      running.put(RunningNode.subscriber("s", endpoint.uri()), "unlimited", 2);
      running.publishMany("s", 10);
      List<Arrival> unanswered = endpoint.await(10, 5_000);
      running.close();

      try (RunningNode next = RunningNode.startOn(real)) {
        next.awaitTotals(totals -> totals.delivered() == 10, 10_000);
        List<Arrival> again = endpoint.arrivals().subList(10, 20);
        assertThat(again).extracting(Arrival::attempt).containsOnly(2);
        assertThat(again)
            .extracting(Arrival::key)
            .containsExactlyInAnyOrderElementsOf(unanswered.stream().map(Arrival::key).toList());
      }
    } finally {
      outside.close().await();
    }
  }

  @Test
  void aPublishWithoutAHintIsFoundByTheSweep() throws Exception {
    Endpoint endpoint = Endpoint.answering(running.vertx, 200);
    running.put(RunningNode.subscriber("s", endpoint.uri()), "unlimited", 2);
    running.publish("s", "m1");
    running.awaitState("m1", "s", State.DONE);

    long begun = System.nanoTime();
    running.publishSilently("s", "m2");

    running.awaitState("m2", "s", State.DONE);
    assertThat(TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - begun)).isLessThan(2_000);
  }

  @Test
  void everythingFailingForAWhileHealsByItself() throws Exception {
    Endpoint endpoint = Endpoint.answering(running.vertx, 200);
    running.put(RunningNode.subscriber("s", endpoint.uri()), "unlimited", 2);
    running.publishMany("s", 50);
    running
        .store
        .on(FaultyStore.ANY)
        .from(call -> call % 2 == 0)
        .fail(StoreException.Kind.UNAVAILABLE);
    for (int i = 0; i < 50; i++) {
      running.realPublish(real, "s", "later" + i);
    }

    running.awaitReal(real, totals -> totals.delivered() == 100, 20_000);
    assertThat(endpoint.arrivals().stream().map(Arrival::key).distinct()).hasSize(100);
  }
}
