package dev.weir.node;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.domain.subscriber.Subscriber;
import dev.weir.protocol.store.InspectionStore.DeliveryView;
import dev.weir.protocol.store.InspectionStore.State;
import io.vertx.core.Handler;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.net.NetServer;
import io.vertx.core.net.NetSocket;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Answers byte by byte, through real sockets. */
@Timeout(30)
class StatusLinesTest {

  private static final String END = "\r\nContent-Length: 0\r\n\r\n";

  private final RunningNode running = RunningNode.start();

  @AfterEach
  void close() {
    running.close();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "HTTP/1.1 600 Whatever",
        "HTTP/1.1 999 Whatever",
        "HTTP/1.1 99 Low",
        "HTTP/1.1 0 Zero",
        "HTTP/1.1 -1 Below",
        "HTTP/1.1 abc Letters",
        "HTTP/1.1 99999999999999999999 Long",
        "HTTP/9.9 200 OK",
        "ICY 200 OK",
        "200 OK",
        "garbage"
      })
  void whatIsNoFinalStatusIsRetriedNeverDeliveredNeverDead(String line) throws Exception {
    String first = attempt(line + END).attempts().get(0);

    assertThat(first).contains("\"outcome\":\"retry\"");
    assertThat(running.store.inspection().totals().await().dead()).isZero();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "HTTP/1.1 100 Continue\r\n\r\n",
        "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n",
        "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\n\r\n"
      })
  void anInterimAnswerIsNotTheAnswer(String interim) throws Exception {
    answering(interim + "HTTP/1.1 200 OK" + END);

    running.publish("s", "m");

    assertThat(running.awaitState("m", "s", State.DONE).attempts())
        .singleElement()
        .asString()
        .contains("\"status\":200");
  }

  /**
   * Vert.x takes a 102 for the whole answer and would use the connection again, where the final
   * answer, still to come, would be taken for that of the next message.
   */
  @Test
  void anInterimAnswerTakenForTheFinalOneIsAmbiguousAndItsConnectionIsNeverUsedAgain()
      throws Exception {
    AtomicInteger mostOnOneConnection = new AtomicInteger();
    put(
        socket -> {
          AtomicInteger requests = new AtomicInteger();
          socket.handler(
              data -> {
                mostOnOneConnection.accumulateAndGet(requests.incrementAndGet(), Math::max);
                socket.write("HTTP/1.1 102 Processing\r\n\r\n");
              });
        });

    for (String message : List.of("m1", "m2", "m3")) {
      running.publish("s", message);
      running.awaitTotals(totals -> !running.delivery(message, "s").attempts().isEmpty(), 5_000);
      assertThat(running.delivery(message, "s").attempts().get(0))
          .contains("\"outcome\":\"retry\"")
          .contains("\"ambiguous\":true");
    }
    assertThat(mostOnOneConnection).hasValue(1);
    assertThat(running.store.inspection().totals().await().delivered()).isZero();
  }

  @ParameterizedTest
  @CsvSource({
    "200, DONE",
    "204, DONE",
    "206, DONE",
    "301, DEAD",
    "404, DEAD",
    "409, DEAD",
    "410, DEAD",
    "413, DEAD",
    "408, RETRY_SCHEDULED",
    "425, RETRY_SCHEDULED",
    "429, RETRY_SCHEDULED",
    "451, DEAD",
    "500, RETRY_SCHEDULED",
    "507, RETRY_SCHEDULED",
    "599, RETRY_SCHEDULED"
  })
  void eachStatusGoesItsWay(int status, State state) throws Exception {
    answering("HTTP/1.1 " + status + " X" + END);

    running.publish("s", "m");

    running.awaitState("m", "s", state);
  }

  @Test
  void goneLeavesNothingInLimbo() throws Exception {
    answering("HTTP/1.1 410 Gone" + END);

    running.publish("s", "m");

    running.awaitState("m", "s", State.DEAD);
    assertThat(running.store.config().subscriber("s").await().orElseThrow().state())
        .isEqualTo(Subscriber.State.DISABLED);
    assertThat(running.store.inspection().totals().await().delayed()).isZero();
  }

  @ParameterizedTest
  @CsvSource({"86400, 86400", "604800, 604800"})
  void aLongRetryAfterIsHonoured(String asked, long seconds) throws Exception {
    long before = System.currentTimeMillis();
    DeliveryView view = attempt("HTTP/1.1 429 Slow\r\nRetry-After: " + asked + END);

    assertThat(view.delivery().state()).isEqualTo(State.RETRY_SCHEDULED);
    assertThat(view.nextAtMs()).isGreaterThanOrEqualTo(before + 1_000 * seconds);
    assertThat(gateInMs()).isBetween(1_000 * seconds - 10_000, 1_000 * seconds);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "604801",
        "2147484",
        "9999999999",
        "Fri, 31 Dec 9999 23:59:59 GMT",
        "99999999999999999999999999999999999999999999999999999999999999999999999999999999999999"
      })
  void aRetryAfterBeyondSevenDaysIsForAPersonAndTheGateClosesForSeven(String asked)
      throws Exception {
    answering("HTTP/1.1 429 Slow\r\nRetry-After: " + asked + END);

    running.publish("s", "m");

    DeliveryView view = running.awaitState("m", "s", State.RECONCILING);
    assertThat(view.askedDelayMs()).isGreaterThan(604_800_000);
    assertThat(gateInMs()).isBetween(604_790_000L, 604_800_000L);

    running.store.config().openGate("s").await();
    assertThat(gateInMs()).isZero();
  }

  private long gateInMs() {
    return running.store.config().subscriber("s").await().orElseThrow().counts().gateInMs();
  }

  private DeliveryView attempt(String answer) throws Exception {
    answering(answer);
    running.publish("s", "m");
    running.awaitTotals(totals -> !running.delivery("m", "s").attempts().isEmpty(), 5_000);
    return running.delivery("m", "s");
  }

  private void answering(String answer) {
    put(socket -> socket.handler(data -> socket.write(Buffer.buffer(answer))));
  }

  private void put(Handler<NetSocket> endpoint) {
    NetServer server =
        running.vertx.createNetServer().connectHandler(endpoint).listen(0, "127.0.0.1").await();
    URI uri = URI.create("http://127.0.0.1:" + server.actualPort());
    running.put(
        RunningNode.withTimeout(RunningNode.subscriber("s", uri), Duration.ofSeconds(2)),
        "unlimited",
        2);
  }
}
