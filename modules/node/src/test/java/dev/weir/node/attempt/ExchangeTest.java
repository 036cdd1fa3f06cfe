package dev.weir.node.attempt;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.domain.message.DeliveryId;
import dev.weir.domain.message.Envelope;
import dev.weir.domain.message.MessageId;
import dev.weir.domain.outcome.Answer;
import dev.weir.domain.outcome.Answer.ErrorClass;
import dev.weir.domain.outcome.RetryPolicy;
import dev.weir.domain.outcome.StatusPolicy;
import dev.weir.domain.subscriber.Subscriber;
import dev.weir.domain.subscriber.Subscriber.OnAmbiguous;
import dev.weir.protocol.store.ClaimId;
import dev.weir.protocol.store.DeliveryStore.Claimed;
import io.vertx.core.Context;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import java.net.URI;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
class ExchangeTest {

  private final Vertx vertx = Vertx.vertx();
  private final Context context = vertx.getOrCreateContext();
  private final List<String> arrived = new CopyOnWriteArrayList<>();
  private final BlockingQueue<Answer> answers = new LinkedBlockingQueue<>();

  @AfterEach
  void close() {
    vertx.close().await();
  }

  @Test
  void whoWaitsForAConnectionPastTheDeadlineIsNeverPutOnTheWire() throws Exception {
    int port =
        vertx
            .createHttpServer()
            .requestHandler(
                request -> {
                  arrived.add(String.valueOf(request.getHeader("Idempotency-Key")));
                  if (arrived.size() > 1) {
                    request.response().end();
                  }
                })
            .listen(0, "127.0.0.1")
            .await()
            .actualPort();
    RequestPlan plan = new RequestPlan(subscriber(port));
    HttpClients clients = new HttpClients(vertx, 1, 1);

    // The first holds the only connection for a second; the second has 300 ms to get it.
    open(clients, plan, "holds", 1_000);
    open(clients, plan, "waits", 300);

    Answer waited = answers.poll(5, TimeUnit.SECONDS);
    assertThat(waited).isInstanceOf(Answer.NotSent.class);
    // Either timer may be first: the pool's or the exchange's.
    assertThat(((Answer.NotSent) waited).error()).isIn(ErrorClass.TIMEOUT, ErrorClass.LOCAL);
    assertThat(answers.poll(5, TimeUnit.SECONDS)).isInstanceOf(Answer.NoAnswer.class);
    // The connection is free again: the third gets one, the second is not sent before it.
    open(clients, plan, "later", 5_000);
    assertThat(answers.poll(5, TimeUnit.SECONDS)).isInstanceOf(Answer.Status.class);
    assertThat(arrived).containsExactly("holds:s", "later:s");
  }

  private void open(HttpClients clients, RequestPlan plan, String message, long timeoutMs) {
    context.runOnContext(
        turn ->
            new Exchange(vertx, claimed(message), System.nanoTime(), new WritesAtOnce(plan))
                .open(clients.here(), plan, timeoutMs));
  }

  private final class WritesAtOnce implements Exchange.Listener {
    private final RequestPlan plan;

    WritesAtOnce(RequestPlan plan) {
      this.plan = plan;
    }

    @Override
    public void connected(Exchange exchange) {
      exchange.write(plan, System.nanoTime(), 0, "n1");
    }

    @Override
    public void headArrived(Exchange exchange) {}

    @Override
    public void answered(Exchange exchange, Answer answer) {
      answers.add(answer);
    }

    @Override
    public void over(Exchange exchange) {}
  }

  private static Claimed claimed(String message) {
    return new Claimed(
        new DeliveryId(MessageId.of(message), "s"),
        1,
        new ClaimId(1, "n1", 1),
        1,
        0,
        0,
        0,
        0,
        0,
        0,
        false,
        new Envelope(null, "text/plain", Map.of(), null, Envelope.NONE),
        Buffer.buffer("b"));
  }

  private static Subscriber subscriber(int port) {
    return new Subscriber(
        "s",
        URI.create("http://127.0.0.1:" + port + "/in"),
        "POST",
        "s",
        Subscriber.DEFAULT_IN_FLIGHT,
        Subscriber.DEFAULT_TIMEOUT,
        RetryPolicy.DEFAULT,
        StatusPolicy.DEFAULT,
        OnAmbiguous.RETRY,
        Subscriber.DEFAULT_OBJECTIVE,
        Map.of(),
        false);
  }
}
