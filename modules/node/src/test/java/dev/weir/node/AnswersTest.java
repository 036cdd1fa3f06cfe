package dev.weir.node;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.node.Endpoint.Arrival;
import dev.weir.protocol.store.InspectionStore.DeliveryView;
import dev.weir.protocol.store.InspectionStore.State;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.net.NetServer;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class AnswersTest {

  private final RunningNode running = RunningNode.start();

  @AfterEach
  void close() {
    running.close();
  }

  @Test
  void a503IsRepeatedUnderTheSameKey() throws Exception {
    Endpoint endpoint =
        Endpoint.start(
            running.vertx,
            (request, n) -> request.response().setStatusCode(n == 1 ? 503 : 200).end("busy"));
    running.put(RunningNode.subscriber("s", endpoint.uri()), "unlimited", 2);

    running.publish("s", "m");

    DeliveryView done = running.awaitState("m", "s", State.DONE);
    assertThat(done.attempts()).hasSize(2);
    assertThat(done.attempts().get(0))
        .contains("\"status\":503", "\"outcome\":\"retry\"", "\"excerpt\":\"busy\"");
    assertThat(endpoint.arrivals()).extracting(Arrival::attempt).containsExactly(1, 2);
    assertThat(endpoint.arrivals()).extracting(Arrival::key).containsOnly("m:s");
  }

  @Test
  void a400IsDeadAtOnce() throws Exception {
    Endpoint endpoint = Endpoint.answering(running.vertx, 400);
    running.put(RunningNode.subscriber("s", endpoint.uri()), "unlimited", 2);

    running.publish("s", "m");

    DeliveryView dead = running.awaitState("m", "s", State.DEAD);
    assertThat(dead.reason()).contains("400");
    assertThat(running.registry.counter("weir.dead", "reason", "status 400").count()).isEqualTo(1);
  }

  @Test
  void a429ClosesTheGateThenOneProbeThenARamp() throws Exception {
    Endpoint endpoint =
        Endpoint.start(
            running.vertx,
            (request, n) -> {
              if (n <= 5) {
                request.response().setStatusCode(200).end();
              } else if (n == 6) {
                request.response().setStatusCode(429).putHeader("Retry-After", "1").end();
              } else {
                request.response().setStatusCode(200).end();
              }
            });
    running.put(
        RunningNode.withMaxInFlight(RunningNode.subscriber("s", endpoint.uri()), 1), "1000/s", 20);

    running.publishMany("s", 60);

    running.awaitTotals(totals -> totals.delivered() == 60, 20_000);
    List<Arrival> arrivals = endpoint.arrivals();
    long afterGateMs =
        TimeUnit.NANOSECONDS.toMillis(
            arrivals.get(6).arrivedNanos() - arrivals.get(5).arrivedNanos());
    assertThat(arrivals).hasSize(61);
    assertThat(afterGateMs).isBetween(1_000L, 2_000L);
  }

  @Test
  void aClosedGateLetsNothingNewStart() throws Exception {
    Endpoint endpoint =
        Endpoint.start(
            running.vertx,
            (request, n) ->
                request.response().setStatusCode(429).putHeader("Retry-After", "3").end());
    running.put(RunningNode.subscriber("s", endpoint.uri()), "100/s", 2);

    running.publishMany("s", 200);
    endpoint.await(1, 5_000);
    running.awaitTotals(totals -> totals.delayed() >= 1, 5_000);
    running.publishMany("s", 200);

    // Those in flight when the first answer came may still arrive; no more than the burst.
    assertThat(endpoint.arrivals().size()).isLessThanOrEqualTo(4);
    assertThat(endpoint.arrivals()).extracting(Arrival::attempt).containsOnly(1);
  }

  @Test
  void aSilentEndpointHitsTheDeadlineAndIsAmbiguous() throws Exception {
    Endpoint endpoint = Endpoint.start(running.vertx, (request, n) -> {});
    running.put(
        RunningNode.withTimeout(
            RunningNode.subscriber("s", endpoint.uri()), Duration.ofMillis(300)),
        "unlimited",
        2);

    running.publish("s", "m");

    endpoint.await(2, 5_000);
    DeliveryView view = running.delivery("m", "s");
    assertThat(view.attempts().get(0)).contains("\"error\":\"timeout\"", "\"ambiguous\":true");
  }

  @Test
  void aSlowDripOfAnErrorEndsAtTheDeadline() throws Exception {
    Endpoint endpoint =
        Endpoint.start(
            running.vertx,
            (request, n) -> {
              request.response().setStatusCode(500).setChunked(true).write("a");
              running.vertx.setPeriodic(50, drip -> request.response().write("b"));
            });
    running.put(
        RunningNode.withMaxInFlight(
            RunningNode.withTimeout(
                RunningNode.subscriber("s", endpoint.uri()), Duration.ofMillis(400)),
            1),
        "unlimited",
        2);

    running.publish("s", "m");

    List<Arrival> two = endpoint.await(2, 5_000);
    long apartMs =
        TimeUnit.NANOSECONDS.toMillis(two.get(1).arrivedNanos() - two.get(0).arrivedNanos());
    assertThat(apartMs).isBetween(350L, 1_500L);
  }

  @Test
  void aDrippingSuccessIsDeliveredAtItsStatusLine() throws Exception {
    Endpoint endpoint =
        Endpoint.start(
            running.vertx,
            (request, n) -> request.response().setStatusCode(200).setChunked(true).write("a"));
    running.put(RunningNode.subscriber("s", endpoint.uri()), "unlimited", 2);

    long begun = System.nanoTime();
    running.publish("s", "m");

    running.awaitState("m", "s", State.DONE);
    assertThat(TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - begun)).isLessThan(2_000);
  }

  @Test
  void nobodyListeningIsAFailureThatWasNeverSent() throws Exception {
    Endpoint gone = Endpoint.answering(running.vertx, 200);
    URI uri = gone.uri();
    gone.close().await();
    running.put(RunningNode.subscriber("s", uri), "unlimited", 2);

    running.publish("s", "m");

    running.awaitTotals(totals -> running.delivery("m", "s").attempts().size() >= 2, 5_000);
    assertThat(running.delivery("m", "s").attempts().get(0))
        .contains("\"error\":\"connect\"", "\"sentAt\":null")
        .doesNotContain("ambiguous");
  }

  @Test
  void whatIsNotHttpIsAnAmbiguousProtocolError() throws Exception {
    NetServer server =
        running
            .vertx
            .createNetServer()
            .connectHandler(
                socket -> socket.handler(data -> socket.write(Buffer.buffer("HELLO\r\n\r\n"))))
            .listen(0, "127.0.0.1")
            .await();
    running.put(
        RunningNode.subscriber("s", URI.create("http://127.0.0.1:" + server.actualPort())),
        "unlimited",
        2);

    running.publish("s", "m");

    running.awaitTotals(totals -> running.delivery("m", "s").attempts().size() >= 1, 5_000);
    assertThat(running.delivery("m", "s").attempts().get(0))
        .contains("\"error\":\"protocol\"", "\"ambiguous\":true");
  }

  @Test
  void aSubscriberThatHangsDoesNotSlowAnother() throws Exception {
    Endpoint hangs = Endpoint.start(running.vertx, (request, n) -> {});
    Endpoint quick = Endpoint.answering(running.vertx, 200);
    running.put(RunningNode.subscriber("hangs", hangs.uri()), "unlimited", 2);
    running.put(RunningNode.subscriber("quick", quick.uri()), "unlimited", 2);
    running.publishMany("hangs", 500);
    hangs.await(32, 5_000);

    long begun = System.nanoTime();
    running.publishMany("quick", 100);
    quick.await(100, 5_000);

    assertThat(TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - begun)).isLessThan(2_000);
    assertThat(hangs.arrivals()).hasSize(32);
  }
}
