package dev.weir.node.attempt;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.domain.message.DeliveryId;
import dev.weir.domain.message.Envelope;
import dev.weir.domain.message.MessageId;
import dev.weir.domain.outcome.RetryPolicy;
import dev.weir.domain.outcome.StatusPolicy;
import dev.weir.domain.subscriber.Subscriber;
import dev.weir.domain.subscriber.Subscriber.OnAmbiguous;
import dev.weir.protocol.store.ClaimId;
import dev.weir.protocol.store.DeliveryStore.Claimed;
import io.vertx.core.MultiMap;
import io.vertx.core.buffer.Buffer;
import java.net.URI;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RequestPlanTest {

  @ParameterizedTest
  @CsvSource(
      nullValues = "-",
      value = {
        "http://h, -, /",
        "http://h/, -, /",
        "http://h/api, -, /api",
        "http://h/api/, -, /api/",
        "http://h/api, /orders/7, /api/orders/7",
        "http://h/api/, /orders/7, /api/orders/7",
        "http://h, /orders/7, /orders/7",
        "http://h, //evil.example/x, /evil.example/x",
        "http://h, ///x, /x",
        "http://h/api?key=1, /o?x=2, /api/o?key=1&x=2",
        "http://h/api?key=1, -, /api?key=1",
        "http://h/api, /o?x=2, /api/o?x=2",
        "http://h/a%20b, /c%2Fd, /a%20b/c%2Fd",
        "http://h, /ä b, /%C3%A4%20b",
        "http://h, /a#b, /a%23b"
      })
  void endpointAndPathAreJoinedOnTheSameHost(URI endpoint, String path, String target) {
    assertThat(RequestPlan.target(endpoint, path)).isEqualTo(target);
  }

  @Test
  void aLineBreakInAPathCannotEndTheRequestLine() {
    assertThat(RequestPlan.target(URI.create("http://h"), "/a\r\nHost: evil"))
        .isEqualTo("/a%0D%0AHost:%20evil");
  }

  @Test
  void laterHeadersWinAndFramingIsNobodysButOurs() {
    RequestPlan plan = new RequestPlan(subscriber(false));
    MultiMap headers =
        headers(
            plan,
            claimed(
                Map.of(
                    "x-tenant", "message",
                    "Transfer-Encoding", "chunked",
                    "Idempotency-Key", "forged")),
            7,
            "n1");
    assertThat(headers.getAll("X-Tenant")).containsExactly("message");
    assertThat(headers.get("X-Only")).isEqualTo("subscriber");
    assertThat(headers.get("Idempotency-Key")).isEqualTo("m%3A1:s:3");
    assertThat(headers.get("Weir-Message-Id")).isEqualTo("m%3A1");
    assertThat(headers.get("Weir-Attempt")).isEqualTo("2");
    assertThat(headers.get("Content-Type")).isEqualTo("text/plain");
    assertThat(headers.contains("Transfer-Encoding")).isFalse();
    assertThat(headers.contains("Weir-Sent-At")).isFalse();
  }

  @Test
  void stampsAreSentToThoseWhoWantThem() {
    MultiMap headers = headers(new RequestPlan(subscriber(true)), claimed(Map.of()), 1_234, "n1");
    assertThat(headers.get("Weir-Sent-At")).isEqualTo("1234");
    assertThat(headers.get("Weir-Node")).isEqualTo("n1");
  }

  private static MultiMap headers(RequestPlan plan, Claimed claimed, long sentAt, String node) {
    MultiMap headers = MultiMap.caseInsensitiveMultiMap();
    plan.writeHeaders(headers, claimed, sentAt, node);
    return headers;
  }

  private static Subscriber subscriber(boolean stamps) {
    return new Subscriber(
        "s",
        URI.create("http://h:81"),
        "POST",
        "s",
        1,
        Subscriber.DEFAULT_TIMEOUT,
        RetryPolicy.DEFAULT,
        StatusPolicy.DEFAULT,
        OnAmbiguous.RETRY,
        Subscriber.DEFAULT_OBJECTIVE,
        Map.of("X-Tenant", "subscriber", "X-Only", "subscriber"),
        stamps);
  }

  private static Claimed claimed(Map<String, String> headers) {
    return new Claimed(
        new DeliveryId(MessageId.of("m:1", 3), "s"),
        1,
        new ClaimId(1, "x", 1),
        2,
        0,
        0,
        0,
        0,
        0,
        0,
        false,
        new Envelope(null, "text/plain", headers, null, Envelope.NONE),
        Buffer.buffer());
  }
}
