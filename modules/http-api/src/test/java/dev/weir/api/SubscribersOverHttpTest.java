package dev.weir.api;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.api.ApiFixture.Answer;
import dev.weir.domain.message.Escaping;
import dev.weir.domain.outcome.Outcome;
import dev.weir.protocol.store.StoreException;
import dev.weir.testkit.store.FaultyStore;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class SubscribersOverHttpTest {

  private final ApiFixture api = new ApiFixture();

  @AfterEach
  void close() {
    api.close();
  }

  @Test
  void aSubscriberIsCreatedThenReplacedAndShown() {
    Answer created =
        api.put(
            "/v1/subscribers/store_17",
            """
            {"endpoint":"https://store17.example/hooks?x=1","method":"PUT","rate":"0.5/s","burst":7,
             "maxInFlight":4,"timeout":"20s","retry":{"base":"2s","factor":1.5,"maxFailures":3},
             "statusPolicy":{"401":"pause"},"onAmbiguous":"hold","objective":"1h",
             "headers":{"X-A":"b"},"stampAttempts":true}
            """);

    assertThat(created.status()).isEqualTo(201);
    assertThat(created.type()).isEqualTo("application/json");
    assertThat(created.json())
        .isEqualTo(
            new JsonObject(
                """
                {"id":"store_17","endpoint":"https://store17.example/hooks?x=1","method":"PUT",
                 "rate":"0.5/s","burst":7,"quota":null,"maxInFlight":4,"timeout":"20s",
                 "retry":{"base":"2s","factor":1.5,"cap":"1h","floor":"100ms","maxFailures":3},
                 "statusPolicy":{"401":"pause"},"onAmbiguous":"hold","objective":"1h",
                 "headers":{"X-A":"b"},"stampAttempts":true,"state":"active","reason":null,
                 "version":1,"counts":{"ready":0,"delayed":0,"inFlight":0,"pending":0,"dead":0,
                 "reconciling":0,"accepted":0,"delivered":0,"cancelled":0,"purged":0},
                 "gateOpensAt":null,"oldestReadySeconds":null}
                """));

    Answer replaced = api.put("/v1/subscribers/store_17", "{\"endpoint\":\"http://h/\"}");
    assertThat(replaced.status()).isEqualTo(200);
    assertThat(replaced.json().getString("rate")).isEqualTo("unlimited");
    assertThat(api.get("/v1/subscribers/store_17").json()).isEqualTo(replaced.json());
    assertThat(api.changed).containsExactly("store_17", "store_17");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{}|endpoint",
        "{\"endpoint\":7}|endpoint",
        "{\"endpoint\":\"ftp://h/\"}|endpoint",
        "{\"endpoint\":\"http://u:p@h/\"}|endpoint",
        "{\"endpoint\":\"http://h/#a\"}|endpoint",
        "{\"endpoint\":\"/relative\"}|endpoint",
        "{\"endpoint\":\"http://h:99999/\"}|endpoint",
        "{\"endpoint\":\"http://h/\",\"method\":\"GET\"}|method",
        "{\"endpoint\":\"http://h/\",\"rate\":\"5\"}|rate",
        "{\"endpoint\":\"http://h/\",\"rate\":\"200000/s\"}|rate",
        "{\"endpoint\":\"http://h/\",\"burst\":0}|burst",
        "{\"endpoint\":\"http://h/\",\"burst\":1.5}|burst",
        "{\"endpoint\":\"http://h/\",\"quota\":\"q\",\"rate\":\"5/s\"}|rate",
        "{\"endpoint\":\"http://h/\",\"quota\":\"s\"}|quota",
        "{\"endpoint\":\"http://h/\",\"maxInFlight\":1001}|maxInFlight",
        "{\"endpoint\":\"http://h/\",\"timeout\":\"11min\"}|timeout",
        "{\"endpoint\":\"http://h/\",\"retry\":{\"base\":\"0ms\"}}|retry.base",
        "{\"endpoint\":\"http://h/\",\"retry\":{\"factor\":11}}|retry.factor",
        "{\"endpoint\":\"http://h/\",\"retry\":{\"basis\":1}}|retry.basis",
        "{\"endpoint\":\"http://h/\",\"statusPolicy\":{\"200\":\"dead\"}}|statusPolicy",
        "{\"endpoint\":\"http://h/\",\"statusPolicy\":{\"401\":\"drop\"}}|statusPolicy.401",
        "{\"endpoint\":\"http://h/\",\"headers\":{\"Host\":\"x\"}}|headers",
        "{\"endpoint\":\"http://h/\",\"headers\":{\"X\":7}}|headers.X",
        "{\"endpoint\":\"http://h/\",\"rates\":\"5/s\"}|rates",
        "{\"endpoint\":\"http://h/\",\"burst\":null}|burst",
        "{\"endpoint\":\"http://h/\",\"burst\":1,\"burst\":2}|burst",
      })
  void whatIsNotAllowedNamesItsField(String json, String field) {
    Answer answer = api.put("/v1/subscribers/s", json);

    assertThat(answer.status()).isEqualTo(400);
    assertThat(answer.type()).isEqualTo("application/problem+json");
    assertThat(answer.field()).isEqualTo(field);
    assertThat(answer.json().getString("limit")).isNotEmpty();
    assertThat(answer.json().getString("type")).isEqualTo("urn:weir:problem:invalid");
  }

  @Test
  void malformedJsonNamesLineAndColumn() {
    Answer answer = api.put("/v1/subscribers/s", "{\n  \"endpoint\": }");

    assertThat(answer.status()).isEqualTo(400);
    assertThat(answer.json().getString("type")).isEqualTo("urn:weir:problem:malformed");
    assertThat(answer.json().getInteger("line")).isEqualTo(2);
    assertThat(answer.json().getInteger("column")).isBetween(14, 16);
    assertThat(answer.detail()).contains("line 2");
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "7", "[]", "{} {}", "{\"endpoint\":\"http://h/\"", "{\"a\":01}"})
  void anythingButOneObjectIsMalformed(String json) {
    assertThat(api.put("/v1/subscribers/s", json).json().getString("type"))
        .isEqualTo("urn:weir:problem:malformed");
  }

  @Test
  void onlyJsonIsTakenAndSaid() {
    Answer answer = api.post("/v1/subscribers/s/pause", "reason=x", "Content-Type", "text/plain");

    assertThat(answer.status()).isEqualTo(415);
    assertThat(answer.field()).isEqualToIgnoringCase("Content-Type");
  }

  @Test
  void pauseKeepsTheReasonUntilResume() {
    api.subscriber("s");

    Answer paused = api.post("/v1/subscribers/s/pause", "{\"reason\":\"maintenance\"}");
    assertThat(paused.json().getString("state")).isEqualTo("paused");
    assertThat(paused.json().getString("reason")).isEqualTo("maintenance");
    assertThat(api.post("/v1/subscribers/s/pause", "").json().getString("reason"))
        .isEqualTo("paused over the API");
    assertThat(api.post("/v1/subscribers/s/pause", "{\"reason\":\"\"}").field())
        .isEqualTo("reason");

    Answer resumed = api.post("/v1/subscribers/s/resume", "");
    assertThat(resumed.json().getString("state")).isEqualTo("active");
    assertThat(resumed.json().getValue("reason")).isNull();
    assertThat(api.changed).hasSize(4);
  }

  @Test
  void whatDoesNotExistIs404() {
    assertThat(api.get("/v1/subscribers/no").status()).isEqualTo(404);
    assertThat(api.delete("/v1/subscribers/no").status()).isEqualTo(404);
    assertThat(api.post("/v1/subscribers/no/pause", "").status()).isEqualTo(404);
    assertThat(api.post("/v1/subscribers/no/resume", "").status()).isEqualTo(404);
    assertThat(api.get("/v1/quotas/no").status()).isEqualTo(404);
    assertThat(api.delete("/v1/quotas/no").status()).isEqualTo(404);
    assertThat(api.post("/v1/quotas/no/open-gate", "").detail())
        .isEqualTo("there is no quota 'no'");
  }

  @Test
  void deletingDropsTheBacklog() {
    api.subscriber("s");
    api.publish("{\"to\":\"s\",\"body\":1}");

    assertThat(api.delete("/v1/subscribers/s").status()).isEqualTo(204);
    assertThat(api.get("/v1/subscribers/s").status()).isEqualTo(404);
    assertThat(api.get("/v1/balance").json().getLong("pending")).isZero();
  }

  @Test
  void listsComeInPages() {
    for (int i = 0; i < 7; i++) {
      api.subscriber("s" + i);
    }
    List<String> seen = new ArrayList<>();
    String next = "";
    int pages = 0;
    do {
      JsonObject page = api.get("/v1/subscribers?limit=3" + next).json();
      page.getJsonArray("items").forEach(item -> seen.add(((JsonObject) item).getString("id")));
      String cursor = page.getString("next");
      next = cursor == null ? "" : "&after=" + Escaping.escape(cursor);
      pages++;
    } while (!next.isEmpty());

    assertThat(seen).containsExactly("s0", "s1", "s2", "s3", "s4", "s5", "s6");
    assertThat(pages).isEqualTo(3);
  }

  @ParameterizedTest
  @CsvSource({
    "limit=0,limit",
    "limit=101,limit",
    "limit=1x,limit",
    "limits=1,limits",
    "after=,after",
    "limit=1&limit=2,limit",
    "after=%zz,after"
  })
  void queriesAreChecked(String query, String field) {
    // A client that checks URIs itself would not send the broken escape.
    Answer answer = api.get("/v1/subscribers?" + query.replace("%zz", "%ff"));

    assertThat(answer.status()).isEqualTo(400);
    assertThat(answer.field()).isEqualTo(field);
  }

  @Test
  void sharedQuotasBindTheirSubscribers() {
    String sharing = "{\"endpoint\":\"http://h/\",\"quota\":\"vendor account\"}";
    assertThat(api.put("/v1/subscribers/a", sharing).status()).isEqualTo(409);

    Answer created = api.put("/v1/quotas/vendor%20account", "{\"rate\":\"10/min\",\"burst\":3}");
    assertThat(created.status()).isEqualTo(201);
    assertThat(created.json())
        .isEqualTo(
            new JsonObject(
                "{\"id\":\"vendor account\",\"rate\":\"10/min\",\"burst\":3,\"gateOpensAt\":null,"
                    + "\"subscribers\":[]}"));

    Answer a = api.put("/v1/subscribers/a", sharing);
    assertThat(a.status()).isEqualTo(201);
    assertThat(a.json().getString("quota")).isEqualTo("vendor account");
    assertThat(a.json().getString("rate")).isEqualTo("10/min");
    api.put("/v1/subscribers/b", sharing);
    api.changed.clear();

    Answer replaced = api.put("/v1/quotas/vendor%20account", "{\"rate\":\"20/min\"}");
    assertThat(replaced.status()).isEqualTo(200);
    assertThat(replaced.json().getJsonArray("subscribers"))
        .isEqualTo(new JsonArray().add("a").add("b"));
    assertThat(api.changed).containsExactlyInAnyOrder("a", "b");
    assertThat(api.get("/v1/quotas").json().getJsonArray("items")).hasSize(1);

    assertThat(api.delete("/v1/quotas/vendor%20account").status()).isEqualTo(409);
    api.delete("/v1/subscribers/a");
    api.delete("/v1/subscribers/b");
    assertThat(api.delete("/v1/quotas/vendor%20account").status()).isEqualTo(204);
  }

  @Test
  void allHoldersOfALargeQuotaAreWoken() {
    api.put("/v1/quotas/q", "{\"rate\":\"1/s\"}");
    for (int i = 0; i < 150; i++) {
      api.put("/v1/subscribers/s" + i, "{\"endpoint\":\"http://h/\",\"quota\":\"q\"}");
    }
    api.subscriber("other");
    api.changed.clear();

    assertThat(api.post("/v1/quotas/q/open-gate", "").status()).isEqualTo(204);
    assertThat(api.changed).hasSize(150).doesNotContain("other");
  }

  @Test
  void aQuotaCannotTakeASubscribersId() {
    api.subscriber("s");
    assertThat(api.put("/v1/quotas/s", "{\"rate\":\"1/s\"}").status()).isEqualTo(409);
    api.put("/v1/quotas/q", "{\"rate\":\"1/s\"}");
    assertThat(api.put("/v1/subscribers/q", "{\"endpoint\":\"http://h/\"}").status())
        .isEqualTo(409);
    assertThat(
            api.put("/v1/subscribers/s", "{\"endpoint\":\"http://h/\",\"quota\":\"q\"}").detail())
        .contains("can't move");
    assertThat(api.put("/v1/quotas/r", "{}").field()).isEqualTo("rate");
  }

  @Test
  void aClosedGateSaysWhenItOpensAndCanBeOpened() {
    api.subscriber("s");
    api.publish("{\"to\":\"s\",\"body\":1}");
    api.settle(
        "s",
        new Outcome.Retry(17_000, "429", Outcome.Budget.RATE_LIMIT, 17_000, false, false),
        "{\"attempt\":1}");

    assertThat(api.get("/v1/subscribers/s").json().getString("gateOpensAt"))
        .isEqualTo("2026-03-03T12:00:17.000Z");
    api.changed.clear();
    assertThat(api.post("/v1/quotas/s/open-gate", "").status()).isEqualTo(204);
    assertThat(api.get("/v1/subscribers/s").json().getValue("gateOpensAt")).isNull();
    assertThat(api.changed).containsExactly("s");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "a:b",
        "a::b",
        "{x}",
        "*",
        "../x",
        "..%2Fx",
        "a\nb",
        " a ",
        "é",
        "e\u0301",
        "a+b",
        "a%20b",
        "a/b/cancel",
        "pause",
        "\u0000",
        "💧💧",
        "...",
        "?",
        "#",
        "a&b=c"
      })
  void anyIdNamesExactlyItsSubscriber(String id) {
    api.subscriber(id);
    api.subscriber("decoy");
    String path = "/v1/subscribers/" + Escaping.escape(id);

    assertThat(api.get(path).json().getString("id")).isEqualTo(id);
    assertThat(api.post(path + "/pause", "").json().getString("id")).isEqualTo(id);
    Answer published =
        api.publish(new JsonObject().put("to", id).put("id", id).put("body", 1).encode());
    assertThat(published.status()).isEqualTo(202);
    String href = published.json().getJsonArray("deliveries").getJsonObject(0).getString("href");
    assertThat(api.get(href).json().getString("message")).isEqualTo(id);
    assertThat(api.get(href).json().getString("subscriber")).isEqualTo(id);
    assertThat(api.get("/v1/messages/" + Escaping.escape(id)).json().getString("id")).isEqualTo(id);
    assertThat(api.delete(path).status()).isEqualTo(204);
    assertThat(api.get("/v1/subscribers").json().getJsonArray("items")).hasSize(1);
  }

  @Test
  void idsThatCollideOnceJoinedStayApart() {
    api.subscriber("b:c");
    api.subscriber("c");
    api.publish("{\"to\":\"b:c\",\"id\":\"a\",\"body\":1}");
    api.publish("{\"to\":\"c\",\"id\":\"a:b\",\"body\":2}");

    assertThat(api.get("/v1/deliveries/a/b%3Ac").json().getString("key")).isEqualTo("a:b%3Ac");
    assertThat(api.get("/v1/deliveries/a%3Ab/c").json().getString("key")).isEqualTo("a%3Ab:c");
    assertThat(api.get("/v1/deliveries/a/c").status()).isEqualTo(404);
  }

  @Test
  void idsTooLongOrUnnameableAreRefused() {
    String limit = "1 to 128 bytes of UTF-8";
    assertThat(api.put("/v1/subscribers/" + "a".repeat(129), "{}").json().getString("limit"))
        .isEqualTo(limit);
    assertThat(api.put("/v1/subscribers/" + "%C3%A9".repeat(65), "{}").json().getString("limit"))
        .isEqualTo(limit);
    assertThat(api.put("/v1/subscribers/%2E%2E", "{}").field()).isEqualTo("id");
    assertThat(api.put("/v1/subscribers/%FF", "{}").status()).isEqualTo(400);
    assertThat(api.get("/v1/subscribers/").status()).isEqualTo(404);
  }

  @Test
  void aStoreThatIsAwayIs503WithRetryAfter() {
    api.store.on(FaultyStore.ANY).always().fail(StoreException.Kind.UNAVAILABLE);

    for (String path :
        List.of(
            "/v1/subscribers",
            "/v1/subscribers/s",
            "/v1/quotas",
            "/v1/balance",
            "/v1/dead-letters",
            "/v1/reconciliation",
            "/v1/messages/m",
            "/v1/deliveries/m/s")) {
      Answer answer = api.get(path);
      assertThat(answer.status()).as(path).isEqualTo(503);
      assertThat(answer.header("Retry-After")).isEqualTo("1");
      assertThat(answer.json().getString("type")).isEqualTo("urn:weir:problem:unavailable");
    }
  }

  @Test
  void aBrokenStoreIs500WithoutItsInsides() {
    api.store.on("subscriber").always().fail(StoreException.Kind.BROKEN);

    Answer answer = api.get("/v1/subscribers/s");
    assertThat(answer.status()).isEqualTo(500);
    assertThat(answer.text()).doesNotContain("by the test");
  }
}
