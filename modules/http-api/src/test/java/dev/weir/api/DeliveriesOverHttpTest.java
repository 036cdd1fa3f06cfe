package dev.weir.api;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.api.ApiFixture.Answer;
import dev.weir.domain.message.Escaping;
import dev.weir.domain.outcome.Outcome;
import dev.weir.protocol.store.StoreException;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class DeliveriesOverHttpTest {

  private static final String M_TO_S = "{\"message\":\"m\",\"subscriber\":\"s\"}";

  private final ApiFixture api = new ApiFixture();

  @BeforeEach
  void subscriber() {
    api.subscriber("s");
  }

  @AfterEach
  void close() {
    api.close();
  }

  private void publish(String id) {
    assertThat(
            api.publish(new JsonObject().put("to", "s").put("id", id).put("body", 1).encode())
                .status())
        .isEqualTo(202);
  }

  private void dead(String id) {
    publish(id);
    api.settle("s", new Outcome.Dead("404: no such order", false), "{\"attempt\":1}");
    api.due.clear();
  }

  private void reconciling(String id) {
    publish(id);
    api.settle(
        "s", new Outcome.Reconcile("Retry-After: beyond 7d", 864_000_000), "{\"attempt\":1}");
    api.due.clear();
  }

  private String state(String id) {
    return api.get("/v1/deliveries/" + id + "/s").json().getString("state");
  }

  @Test
  void theTraceIsShownAsTheNodeWroteIt() {
    publish("m");
    api.settle(
        "s",
        new Outcome.Retry(17_500, "429: asked", Outcome.Budget.RATE_LIMIT, 17_000, false, false),
        "{\"attempt\":1,\"status\":429,\"retryAfter\":\"17\",\"excerpt\":\"slow \\ud83d\\udca7\"}");

    JsonObject delivery = api.get("/v1/deliveries/m/s").json();
    assertThat(delivery.getString("state")).isEqualTo("retry_scheduled");
    assertThat(delivery.getString("nextAttemptAt")).isEqualTo("2026-03-03T12:00:17.500Z");
    assertThat(delivery.getString("key")).isEqualTo("m:s");
    assertThat(delivery.getValue("version")).isNull();
    assertThat(delivery.getInteger("omittedAttempts")).isZero();
    JsonObject attempt = delivery.getJsonArray("attempts").getJsonObject(0);
    assertThat(attempt.getString("retryAfter")).isEqualTo("17");
    assertThat(attempt.getString("excerpt")).isEqualTo("slow 💧");
  }

  @Test
  void aMessageListsItsDeliveries() {
    api.subscriber("t");
    api.publish("{\"to\":[\"t\",\"s\"],\"id\":\"m\",\"version\":2,\"body\":1}");

    JsonObject message = api.get("/v1/messages/m?version=2").json();
    assertThat(message.getString("id")).isEqualTo("m");
    assertThat(message.getLong("version")).isEqualTo(2);
    assertThat(message.getJsonArray("deliveries")).hasSize(2);
    assertThat(api.get("/v1/messages/m").status()).isEqualTo(404);
    assertThat(api.get("/v1/messages/m?version=02").field()).isEqualTo("version");
    assertThat(api.get("/v1/messages/m?version=").field()).isEqualTo("version");
  }

  @Test
  void deadLettersComeInPages() {
    api.subscriber("t");
    for (int i = 0; i < 5; i++) {
      api.clock.advance(Duration.ofSeconds(1));
      dead("m" + i);
    }
    api.publish("{\"to\":\"t\",\"id\":\"other\",\"body\":1}");
    api.settle("t", new Outcome.Dead("404", false), "{\"attempt\":1}");

    List<String> seen = new ArrayList<>();
    String next = "";
    do {
      JsonObject page = api.get("/v1/dead-letters?subscriber=s&limit=2" + next).json();
      page.getJsonArray("items")
          .forEach(item -> seen.add(((JsonObject) item).getString("message")));
      String cursor = page.getString("next");
      next = cursor == null ? "" : "&after=" + Escaping.escape(cursor);
    } while (!next.isEmpty());

    assertThat(seen).containsExactly("m0", "m1", "m2", "m3", "m4");
    JsonArray all = api.get("/v1/dead-letters").json().getJsonArray("items");
    assertThat(all).hasSize(6);
    assertThat(all.getJsonObject(0).getString("reason")).isEqualTo("404: no such order");
    assertThat(all.getJsonObject(0).containsKey("askedDelay")).isFalse();
  }

  @Test
  void oneDeadLetterIsRedriven() {
    dead("m");

    assertThat(api.post("/v1/dead-letters/redrive", M_TO_S).text()).isEqualTo("{\"redriven\":1}");
    assertThat(state("m")).isEqualTo("ready");
    assertThat(api.due).containsExactly("s");
    Answer again = api.post("/v1/dead-letters/redrive", M_TO_S);
    assertThat(again.status()).isEqualTo(409);
    assertThat(again.detail()).contains("m:s is ready");
  }

  @Test
  void whatWasDeliveredOrIsUnknownIsNotRedriven() {
    publish("m");
    api.settle("s", new Outcome.Delivered(), "{\"attempt\":1}");

    Answer delivered = api.post("/v1/dead-letters/redrive", M_TO_S);
    assertThat(delivered.status()).isEqualTo(409);
    assertThat(delivered.detail()).contains("final");
    assertThat(
            api.post("/v1/dead-letters/redrive", "{\"message\":\"no\",\"subscriber\":\"s\"}")
                .status())
        .isEqualTo(404);
    assertThat(api.post("/v1/dead-letters/redrive", "{\"subscriber\":\"no\"}").status())
        .isEqualTo(404);
    assertThat(api.post("/v1/dead-letters/redrive", "{\"subscriber\":\"s\",\"version\":1}").field())
        .isEqualTo("version");
    assertThat(api.post("/v1/dead-letters/redrive", "{}").field()).isEqualTo("subscriber");
    assertThat(api.post("/v1/dead-letters/redrive", "{\"subscriber\":\"s\",\"all\":true}").field())
        .isEqualTo("all");
  }

  @Test
  void allDeadLettersOfASubscriberAreRedriven() {
    for (int i = 0; i < 230; i++) {
      publish("m" + i);
    }
    for (int i = 0; i < 230; i++) {
      api.settle("s", new Outcome.Dead("404", false), "{\"attempt\":1}");
    }
    assertThat(api.get("/v1/subscribers/s").json().getJsonObject("counts").getLong("dead"))
        .isEqualTo(230);

    assertThat(api.post("/v1/dead-letters/redrive", "{\"subscriber\":\"s\"}").text())
        .isEqualTo("{\"redriven\":230}");
    assertThat(api.get("/v1/subscribers/s").json().getJsonObject("counts").getLong("ready"))
        .isEqualTo(230);
    assertThat(api.post("/v1/dead-letters/redrive", "{\"subscriber\":\"s\"}").text())
        .isEqualTo("{\"redriven\":0}");
  }

  @Test
  void aRedriveOfAllThatBreaksOffSaysHowFarItCame() {
    dead("a");
    dead("b");
    api.store.on("redrive").nth(2).fail(StoreException.Kind.UNAVAILABLE);

    Answer answer = api.post("/v1/dead-letters/redrive", "{\"subscriber\":\"s\"}");
    assertThat(answer.status()).isEqualTo(503);
    assertThat(answer.detail()).contains("1 were redriven before");
    assertThat(api.post("/v1/dead-letters/redrive", "{\"subscriber\":\"s\"}").text())
        .isEqualTo("{\"redriven\":1}");
  }

  @Test
  void aReconcilingDeliveryIsListedWithTheAskedDelay() {
    reconciling("m");
    JsonObject item =
        api.get("/v1/reconciliation?subscriber=s").json().getJsonArray("items").getJsonObject(0);
    assertThat(item.getString("askedDelay")).isEqualTo("10d");
    assertThat(item.getString("reason")).isEqualTo("Retry-After: beyond 7d");
    assertThat(api.get("/v1/deliveries/m/s").json().getString("askedDelay")).isEqualTo("10d");
  }

  @Test
  void aReconcilingDeliveryIsRescheduled() {
    reconciling("m");
    Answer answer =
        api.post(
            "/v1/reconciliation/reschedule",
            "{\"message\":\"m\",\"subscriber\":\"s\",\"at\":\"2026-03-10T13:00:00+01:00\"}");

    assertThat(answer.status()).as(answer.text()).isEqualTo(200);
    assertThat(answer.json().getString("state")).isEqualTo("retry_scheduled");
    assertThat(api.get("/v1/deliveries/m/s").json().getString("nextAttemptAt"))
        .isEqualTo("2026-03-10T12:00:00.000Z");
    assertThat(api.due).isEmpty();
  }

  @Test
  void reschedulingToThePastMeansNow() {
    reconciling("m");
    api.post(
        "/v1/reconciliation/reschedule",
        "{\"message\":\"m\",\"subscriber\":\"s\",\"at\":\"2026-03-01T00:00:00Z\"}");
    assertThat(api.due).containsExactly("s");
  }

  @Test
  void aReconcilingDeliveryIsRedrivenOrCancelled() {
    reconciling("m");
    assertThat(api.post("/v1/reconciliation/redrive", M_TO_S).json().getString("state"))
        .isEqualTo("ready");
    assertThat(api.due).containsExactly("s");
    assertThat(api.post("/v1/reconciliation/cancel", M_TO_S).status()).isEqualTo(409);

    api.claim("s");
    reconciling("n");
    Answer cancelled =
        api.post("/v1/reconciliation/cancel", "{\"message\":\"n\",\"subscriber\":\"s\"}");
    assertThat(cancelled.json().getString("state")).isEqualTo("cancelled");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{\"subscriber\":\"s\",\"at\":\"2026-03-10T00:00:00Z\"}|message",
        "{\"message\":\"m\",\"at\":\"2026-03-10T00:00:00Z\"}|subscriber",
        "{\"message\":\"m\",\"subscriber\":\"s\"}|at",
        "{\"message\":\"m\",\"subscriber\":\"s\",\"at\":\"2026-03-10T00:00:00\"}|at",
        "{\"message\":\"m\",\"subscriber\":\"s\",\"at\":\"2028-03-10T00:00:00Z\"}|at",
        "{\"message\":\"m\",\"subscriber\":\"s\",\"at\":\"2026-03-10T00:00:00Z\",\"x\":1}|x",
        "{\"message\":\"m\",\"subscriber\":\"s\",\"version\":\"1\",\"at\":\"2026-03-10T00:00:00Z\"}|version",
      })
  void whatIsNotAllowedNamesItsField(String json, String field) {
    reconciling("m");
    Answer answer = api.post("/v1/reconciliation/reschedule", json);
    assertThat(answer.status()).isEqualTo(400);
    assertThat(answer.field()).isEqualTo(field);
  }

  @Test
  void aWaitingDeliveryIsCancelledButNotOneUnderWay() {
    publish("m");
    publish("n");
    assertThat(api.post("/v1/deliveries/m/s/cancel", "").json().getString("state"))
        .isEqualTo("cancelled");
    assertThat(api.post("/v1/deliveries/m/s/cancel", "").status()).isEqualTo(409);
    api.claim("s");
    Answer underWay = api.post("/v1/deliveries/n/s/cancel", "");
    assertThat(underWay.status()).isEqualTo(409);
    assertThat(underWay.detail()).contains("attempting");
    assertThat(api.post("/v1/deliveries/no/s/cancel", "").status()).isEqualTo(404);
    JsonObject balance = api.get("/v1/balance").json();
    assertThat(balance.getBoolean("holds")).isTrue();
    assertThat(balance.getLong("cancelled")).isEqualTo(1);
  }
}
