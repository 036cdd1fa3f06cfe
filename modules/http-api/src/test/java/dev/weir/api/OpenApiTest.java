package dev.weir.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.api.ApiFixture.Answer;
import dev.weir.api.http.Dispatcher;
import dev.weir.api.http.OpenApi;
import dev.weir.api.http.Operation;
import dev.weir.api.http.Problem;
import dev.weir.api.http.Reply;
import dev.weir.domain.message.Envelope;
import dev.weir.domain.outcome.Outcome;
import dev.weir.domain.subscriber.Subscriber;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonObject;
import java.net.http.HttpRequest.BodyPublishers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;

class OpenApiTest {

  private final ApiFixture api = new ApiFixture();
  private final OpenApi description = OpenApi.load();
  private final Schemas schemas =
      new Schemas(
          (Map<?, ?>)
              new Load(LoadSettings.builder().build())
                  .loadFromString(description.text().toString(StandardCharsets.UTF_8)));

  @AfterEach
  void close() {
    api.close();
  }

  @Test
  void everyOperationHasOneHandlerAndEveryHandlerAnOperation() {
    Map<String, Operation> operations = ApiVerticle.operations(description, api.ports());
    Vertx vertx = Vertx.vertx();
    try {
      start(vertx, operations);

      Map<String, Operation> missing = new HashMap<>(operations);
      missing.remove("publish");
      assertThatThrownBy(() -> start(vertx, missing)).hasMessageContaining("[publish]");

      Map<String, Operation> superfluous = new HashMap<>(operations);
      superfluous.put("teapot", call -> Future.succeededFuture(Reply.noContent()));
      assertThatThrownBy(() -> start(vertx, superfluous)).hasMessageContaining("[teapot]");
    } finally {
      ApiFixture.await(vertx.close());
    }
  }

  private void start(Vertx vertx, Map<String, Operation> operations) {
    new Dispatcher(vertx, description, operations, Duration.ofSeconds(1), (id, status) -> {});
  }

  @Test
  void everyReferenceResolvesAndEveryExampleFitsItsSchema() {
    assertThat(schemas.faultsOfAllExamples()).isEmpty();
    assertThat(schemas.examplesSeen()).isGreaterThan(50);
  }

  @Test
  void aWrongExampleIsFound() {
    Map<?, ?> problem = schemas.named("Problem");
    Map<String, Object> wrong = new JsonObject("{\"type\":\"x\",\"title\":7,\"extra\":1}").getMap();
    assertThat(schemas.faults(problem, wrong, "p")).hasSize(5);
  }

  @Test
  void everyStatusOfTheProblemTableIsDescribed() {
    String text = description.text().toString(StandardCharsets.UTF_8);
    for (Problem.Kind kind : Problem.Kind.values()) {
      String word = kind.name().toLowerCase(Locale.ROOT).replace('_', '-');
      assertThat(text).contains("`" + word + "`");
    }
  }

  @Test
  void theLimitsInTheFileAreThoseOfTheCode() {
    Map<?, ?> publication = schemas.named("Publication");
    assertThat(schemas.at(publication, "properties", "delaySeconds", "maximum"))
        .isEqualTo((int) PublishRequest.MAX_DELAY_SECONDS);
    List<?> to = (List<?>) schemas.at(publication, "properties", "to", "oneOf");
    assertThat(((Map<?, ?>) to.get(1)).get("maxItems")).isEqualTo(PublishRequest.MAX_TARGETS);
    assertThat(
            schemas.at(schemas.named("SubscriberConfig"), "properties", "maxInFlight", "maximum"))
        .isEqualTo(Subscriber.MAX_IN_FLIGHT);
    String raw = description.text().toString(StandardCharsets.UTF_8);
    assertThat(raw).contains("x-max-bytes: " + Envelope.MAX_BODY_BYTES);
  }

  @Test
  void theFileIsServedAsItIs() {
    Answer answer = api.get("/openapi.yaml");
    assertThat(answer.type()).isEqualTo("application/yaml");
    assertThat(answer.text()).isEqualTo(description.text().toString(StandardCharsets.UTF_8));
  }

  @Test
  void realAnswersFitTheirSchemas() {
    api.put("/v1/quotas/q", "{\"rate\":\"10/min\"}");
    api.put("/v1/subscribers/sharing", "{\"endpoint\":\"http://h/\",\"quota\":\"q\"}");
    api.subscriber("s");
    Answer published = api.publish("{\"to\":\"s\",\"id\":\"m\",\"version\":1,\"body\":1}");
    api.publish("{\"to\":\"s\",\"id\":\"held\",\"body\":1}");
    api.settle("s", new Outcome.Dead("404", false), "{\"attempt\":1,\"status\":404}");
    api.settle("s", new Outcome.Reconcile("Retry-After", 864_000_000), "{\"attempt\":1}");

    fits("Published", published);
    fits("Subscriber", api.get("/v1/subscribers/s"));
    fits("SubscriberPage", api.get("/v1/subscribers"));
    fits("Quota", api.get("/v1/quotas/q"));
    fits("QuotaPage", api.get("/v1/quotas"));
    fits("Message", api.get("/v1/messages/m?version=1"));
    fits("Delivery", api.get("/v1/deliveries/m/s?version=1"));
    fits("Delivery", api.get("/v1/deliveries/held/s"));
    fits("DeadLetterPage", api.get("/v1/dead-letters"));
    fits("ReconciliationPage", api.get("/v1/reconciliation"));
    fits("DeliveryState", api.post("/v1/deliveries/held/s/cancel", ""));
    fits("Balance", api.get("/v1/balance"));
    fits("Live", api.get("/health/live"));
    fits("Ready", api.get("/health/ready"));
    fits("Problem", api.get("/v1/subscribers/none"));
    fits("Problem", api.publish("{"));
    fits("Problem", api.publish("{\"to\":[\"no\"],\"body\":1}"));
  }

  private void fits(String schema, Answer answer) {
    Map<String, Object> value = new JsonObject(answer.text()).getMap();
    assertThat(schemas.faults(schemas.named(schema), value, schema)).as(answer.text()).isEmpty();
  }

  @Test
  void operationsAnswer() {
    assertThat(api.get("/metrics").text()).contains("weir_accepted_total 1.0");
    assertThat(api.get("/metrics").type()).isEqualTo("text/plain; version=0.0.4; charset=utf-8");
    assertThat(api.get("/health/live").text()).isEqualTo("{\"status\":\"live\"}");
    assertThat(api.get("/health/ready").text()).isEqualTo("{\"status\":\"ready\"}");
    api.store.unready("Redis is away: connection refused");
    Answer unready = api.get("/health/ready");
    assertThat(unready.status()).isEqualTo(503);
    assertThat(unready.text())
        .isEqualTo("{\"status\":\"unready\",\"reason\":\"Redis is away: connection refused\"}");
  }

  @Test
  void pathsAndMethodsThatAreNotDescribedDoNotExist() {
    Answer nowhere = api.get("/v1/nowhere");
    assertThat(nowhere.status()).isEqualTo(404);
    assertThat(nowhere.type()).isEqualTo("application/problem+json");
    assertThat(api.get("/").status()).isEqualTo(404);
    assertThat(api.get("/v1/quotas/q/").status()).isEqualTo(404);
    assertThat(api.get("/v1/balance?deep=1").field()).isEqualTo("deep");

    Answer wrong = api.delete("/v1/subscribers");
    assertThat(wrong.status()).isEqualTo(405);
    assertThat(wrong.header("Allow")).isEqualTo("GET, HEAD");
    assertThat(wrong.type()).isEqualTo("application/problem+json");
    assertThat(api.send("PATCH", "/v1/quotas/q", BodyPublishers.ofString("{}")).header("Allow"))
        .isEqualTo("DELETE, GET, HEAD, PUT");
  }

  @Test
  void headIsGetWithoutTheBody() {
    Answer get = api.get("/health/live");
    Answer head = api.send("HEAD", "/health/live", BodyPublishers.noBody());
    assertThat(head.status()).isEqualTo(200);
    assertThat(head.text()).isEmpty();
    assertThat(head.header("Content-Length")).isEqualTo(Integer.toString(get.text().length()));
    assertThat(api.send("HEAD", "/v1/subscribers/no", BodyPublishers.noBody()).status())
        .isEqualTo(404);
  }
}
