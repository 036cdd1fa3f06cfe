package dev.weir.api;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_16LE;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.api.ApiFixture.Answer;
import dev.weir.domain.message.Envelope;
import dev.weir.protocol.store.DeliveryStore.Claimed;
import dev.weir.protocol.store.StoreException;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.util.Base64;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class PublishOverHttpTest {

  private final ApiFixture api = new ApiFixture();

  @BeforeEach
  void subscribers() {
    api.subscriber("s");
    api.subscriber("t");
    api.changed.clear();
  }

  @AfterEach
  void close() {
    api.close();
  }

  @Test
  void aMessageForSeveralIsAcceptedAndWakesThem() {
    Answer answer =
        api.publish(
            """
            {"to":["s","t"],"id":"shp_2048","version":3,"type":"shipment.updated","body":{"a":1},
             "headers":{"X-Trace":"7"},"path":"/orders/7?x=1","deliverBy":"2026-03-03T13:00:00+01:00"}
            """);

    assertThat(answer.status()).isEqualTo(202);
    assertThat(answer.json())
        .isEqualTo(
            new JsonObject(
                """
                {"id":"shp_2048","version":3,"deliveries":[
                 {"subscriber":"s","key":"shp_2048:s:3","href":"/v1/deliveries/shp_2048/s?version=3"},
                 {"subscriber":"t","key":"shp_2048:t:3","href":"/v1/deliveries/shp_2048/t?version=3"}]}
                """));
    assertThat(api.due).containsExactly("s", "t");
    assertThat(api.rejected).isEmpty();

    Envelope envelope = api.claim("s").get(0).envelope();
    assertThat(envelope.type()).isEqualTo("shipment.updated");
    assertThat(envelope.contentType()).isEqualTo("application/json");
    assertThat(envelope.headers()).containsExactly(Map.entry("X-Trace", "7"));
    assertThat(envelope.path()).isEqualTo("/orders/7?x=1");
    assertThat(envelope.deliverByMs()).isEqualTo(api.clock.millis());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{}",
        "[ ]",
        "null",
        "true",
        "false",
        "0",
        "-0",
        "-1.50e+03",
        "9007199254740993",
        "123456789012345678901234567890.12345678901234567890",
        "\"\"",
        "\"a\\u00e9\\/\\ud83d\"",
        "\"é💧\"",
        "{ \"b\" : 1 ,\t\"a\":[ 1 , {\"c\":[[]]} ]\n}",
        "{\"a\":1,\"a\":2}",
        "\"}\\\"]\"",
        "[1,2.0,\"x\",null,{\"body\":{}}]"
      })
  void aJsonBodyIsSentAsTheBytesThatStoodThere(String body) {
    for (String around :
        new String[] {"{\"to\":\"s\",\"body\":%s}", "{\"body\": %s ,\"to\":\"t\"}"}) {
      Answer answer = api.publish(String.format(around, body));
      assertThat(answer.status()).as(answer.text()).isEqualTo(202);
    }
    assertThat(new String(api.sent("s"), UTF_8)).isEqualTo(body);
    assertThat(new String(api.sent("t"), UTF_8)).isEqualTo(body);
  }

  @Test
  void aNumberOfThousandsOfDigitsSurvives() {
    String digits = "9".repeat(5_000);
    api.publish("{\"to\":\"s\",\"body\":[" + digits + "]}");
    assertThat(new String(api.sent("s"), UTF_8)).isEqualTo("[" + digits + "]");
  }

  @Test
  void bytesThatAreNoTextArriveUnchanged() {
    byte[] bytes = new byte[256];
    for (int i = 0; i < bytes.length; i++) {
      bytes[i] = (byte) i;
    }
    Answer raw = api.raw(bytes, "Weir-To", "s", "Content-Type", "application/x-own; a=b");
    assertThat(raw.status()).as(raw.text()).isEqualTo(202);
    Claimed claimed = api.claim("s").get(0);
    assertThat(claimed.body().getBytes()).isEqualTo(bytes);
    assertThat(claimed.envelope().contentType()).isEqualTo("application/x-own; a=b");

    String base64 = Base64.getEncoder().encodeToString(bytes);
    api.publish("{\"to\":\"t\",\"bodyBase64\":\"" + base64 + "\"}");
    Claimed other = api.claim("t").get(0);
    assertThat(other.body().getBytes()).isEqualTo(bytes);
    assertThat(other.envelope().contentType()).isNull();
  }

  @Test
  void anEmptyBodyIsABody() {
    assertThat(api.raw(new byte[0], "Weir-To", "s").status()).isEqualTo(202);
    assertThat(api.sent("s")).isEmpty();
    assertThat(api.publish("{\"to\":\"t\",\"bodyBase64\":\"\"}").status()).isEqualTo(202);
    assertThat(api.sent("t")).isEmpty();
  }

  @Test
  void invalidUtf8InJsonIsRefusedWithItsPlace() {
    Answer answer = api.raw("{\"to\":\"s\",\n\"body\":\"\u00ff\"}".getBytes(ISO_8859_1));
    assertThat(answer.status()).isEqualTo(400);
    assertThat(answer.json().getInteger("line")).isEqualTo(2);
    assertThat(answer.detail()).contains("byte 19").contains("bodyBase64");
    Answer overlong = api.raw("{\"to\":\"s\",\"body\":\"\u00c0\u0080\"}".getBytes(ISO_8859_1));
    assertThat(overlong.status()).isEqualTo(400);
    Answer utf16 = api.raw("{\"to\":\"s\",\"body\":1}".getBytes(UTF_16LE));
    assertThat(utf16.detail()).contains("NUL");
    assertThat(api.raw("\ufeff{}".getBytes(UTF_8)).detail()).contains("byte order mark");
  }

  @Test
  void theRawFormCarriesEverythingInHeaders() {
    Answer answer =
        api.raw(
            "x".getBytes(UTF_8),
            "Weir-To",
            "s, t",
            "Weir-Id",
            "a%2Fb%C3%A9",
            "Weir-Version",
            "0",
            "Weir-Type",
            "a.b",
            "Weir-Path",
            "/p",
            "Weir-Delay-Seconds",
            "60",
            "Weir-Deliver-By",
            "2026-03-04T12:00:00Z",
            "Weir-Header-X-Trace",
            "7");

    assertThat(answer.status()).as(answer.text()).isEqualTo(202);
    assertThat(answer.json().getString("id")).isEqualTo("a/bé");
    assertThat(answer.json().getJsonArray("deliveries").getJsonObject(1).getString("href"))
        .isEqualTo("/v1/deliveries/a%2Fb%C3%A9/t?version=0");
    assertThat(api.due).isEmpty();
    JsonObject delivery = api.get("/v1/deliveries/a%2Fb%C3%A9/s?version=0").json();
    assertThat(delivery.getString("state")).isEqualTo("scheduled");
    assertThat(delivery.getString("nextAttemptAt")).isEqualTo("2026-03-03T12:01:00.000Z");
    assertThat(delivery.getString("deliverBy")).isEqualTo("2026-03-04T12:00:00.000Z");
    assertThat(delivery.getString("type")).isEqualTo("a.b");

    api.clock.advance(Duration.ofMinutes(1));
    Envelope envelope = api.claim("s").get(0).envelope();
    assertThat(envelope.headers()).containsExactly(Map.entry("X-Trace", "7"));
    assertThat(envelope.path()).isEqualTo("/p");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "Weir-Version|1|version",
        "Weir-Version|-1|Weir-Version",
        "Weir-Version|99999999999999999999|Weir-Version",
        "Weir-Delay-Seconds|604801|Weir-Delay-Seconds",
        "Weir-Delay-Seconds|1.5|Weir-Delay-Seconds",
        "Weir-Deliver-At|2026-03-29T01:30:00|Weir-Deliver-At",
        "Weir-Delay|1|Weir-Delay",
        "Weir-Id|%zz|Weir-Id",
        "Weir-Id|%ed%a0%80|Weir-Id",
        "Weir-Path|//evil|path",
        "Weir-Header-Host|x|headers",
        "Weir-Header-Content-Type|x|headers",
        "Content-Type|nonsense|contentType",
      })
  void wrongHeadersOfTheRawFormAreNamed(String header, String value, String field) {
    Answer answer = api.raw(new byte[1], "Weir-To", "s", header, value);
    assertThat(answer.status()).as(answer.text()).isEqualTo(400);
    assertThat(answer.field()).isEqualToIgnoringCase(field);
    assertThat(api.rejected).containsExactly(400);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{\"body\":1}|to",
        "{\"to\":[],\"body\":1}|to",
        "{\"to\":[\"s\",\"s\"],\"body\":1}|to",
        "{\"to\":[\"s\",7],\"body\":1}|to[1]",
        "{\"to\":\"\\ud800\",\"body\":1}|to",
        "{\"to\":\"s\"}|body",
        "{\"to\":\"s\",\"body\":1,\"bodyBase64\":\"\"}|body",
        "{\"to\":\"s\",\"bodyBase64\":\"YQ\"}|bodyBase64",
        "{\"to\":\"s\",\"bodyBase64\":\"YR==\"}|bodyBase64",
        "{\"to\":\"s\",\"bodyBase64\":\"YQ==\\n\"}|bodyBase64",
        "{\"to\":\"s\",\"bodyBase64\":\"_-__\"}|bodyBase64",
        "{\"to\":\"s\",\"body\":1,\"body\":1}|body",
        "{\"to\":\"s\",\"body\":1,\"Body\":1}|Body",
        "{\"to\":\"s\",\"body\":1,\"version\":1}|version",
        "{\"to\":\"s\",\"body\":1,\"id\":\"\"}|id",
        "{\"to\":\"s\",\"body\":1,\"id\":\"..\"}|id",
        "{\"to\":\"s\",\"body\":1,\"id\":\"a\\udc00\"}|id",
        "{\"to\":\"s\",\"body\":1,\"id\":\"a\",\"version\":-1}|version",
        "{\"to\":\"s\",\"body\":1,\"id\":\"a\",\"version\":9223372036854775808}|version",
        "{\"to\":\"s\",\"body\":1,\"delaySeconds\":604801}|delaySeconds",
        "{\"to\":\"s\",\"body\":1,\"delaySeconds\":-1}|delaySeconds",
        "{\"to\":\"s\",\"body\":1,\"delaySeconds\":\"5\"}|delaySeconds",
        "{\"to\":\"s\",\"body\":1,\"delaySeconds\":0,\"deliverAt\":\"2026-03-04T00:00:00Z\"}|delaySeconds",
        "{\"to\":\"s\",\"body\":1,\"deliverAt\":\"2027-03-05T00:00:00Z\"}|deliverAt",
        "{\"to\":\"s\",\"body\":1,\"deliverAt\":\"1969-12-31T23:59:59.999Z\"}|deliverAt",
        "{\"to\":\"s\",\"body\":1,\"deliverAt\":\"2026-03-05T00:00:00Z\",\"deliverBy\":\"2026-03-04T00:00:00Z\"}|deliverBy",
        "{\"to\":\"s\",\"body\":1,\"path\":\"/../x\"}|path",
        "{\"to\":\"s\",\"body\":1,\"path\":\"//evil.example/\"}|path",
        "{\"to\":\"s\",\"body\":1,\"path\":\"x\"}|path",
        "{\"to\":\"s\",\"body\":1,\"type\":\"a\\nb\"}|type",
        "{\"to\":\"s\",\"body\":1,\"contentType\":\"json\"}|contentType",
        "{\"to\":\"s\",\"body\":1,\"headers\":{\"a b\":\"c\"}}|headers",
        "{\"to\":\"s\",\"body\":1,\"headers\":{\"A\":\"b\",\"a\":\"c\"}}|headers",
        "{\"to\":\"s\",\"body\":1,\"headers\":{\"Weir-X\":\"c\"}}|headers",
        "{\"to\":\"s\",\"body\":1,\"headers\":{\"content-type\":\"c\"}}|headers",
        "{\"to\":\"s\",\"body\":1,\"headers\":{\"A\":\"b\\r\\nC: d\"}}|headers",
      })
  void whatIsNotAllowedNamesItsField(String json, String field) {
    Answer answer = api.publish(json);

    assertThat(answer.status()).as(answer.text()).isEqualTo(400);
    assertThat(answer.field()).isEqualTo(field);
    assertThat(answer.json().getString("limit")).isNotEmpty();
    assertThat(api.rejected).containsExactly(400);
    assertThat(api.get("/v1/balance").json().getLong("accepted")).isZero();
  }

  @Test
  void rawHeadersWithoutATargetAreNotIgnored() {
    assertThat(api.publish("{\"to\":\"s\",\"body\":1}", "Weir-Id", "x").field())
        .isEqualToIgnoringCase("Weir-Id");
  }

  @ParameterizedTest
  @CsvSource({
    "2026-03-03T13:00:00Z, 2026-03-03T13:00:00.000Z",
    "2026-03-03T14:00:00+01:00, 2026-03-03T13:00:00.000Z",
    "2026-03-03T13:00:00-00:28, 2026-03-03T13:28:00.000Z",
    "2026-03-04T03:00:00+14:00, 2026-03-03T13:00:00.000Z",
    "2026-03-03t13:00:00.123456789z, 2026-03-03T13:00:00.123Z",
    "2026-03-29T01:30:00+00:00, 2026-03-29T01:30:00.000Z",
    "2026-10-25T01:30:00+01:00, 2026-10-25T00:30:00.000Z",
  })
  void instantsMeanWhatTheirOffsetSays(String given, String meant) {
    api.publish("{\"to\":\"s\",\"id\":\"m\",\"body\":1,\"deliverAt\":\"" + given + "\"}");
    assertThat(api.get("/v1/deliveries/m/s").json().getString("nextAttemptAt")).isEqualTo(meant);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "2026-03-29T01:30:00",
        "2026-10-25T01:30:00",
        "2026-06-30T23:59:60Z",
        "2026-03-29T01:30:00+01:00[Europe/Berlin]",
        "2026-02-30T00:00:00Z",
        "tomorrow",
        "1772539200"
      })
  void instantsThatMeanNothingCertainAreRefused(String given) {
    Answer answer = api.publish("{\"to\":\"s\",\"body\":1,\"deliverAt\":\"" + given + "\"}");
    assertThat(answer.status()).isEqualTo(400);
    assertThat(answer.field()).isEqualTo("deliverAt");
  }

  @Test
  void anInstantThatHasPassedMeansAtOnce() {
    api.publish("{\"to\":\"s\",\"body\":1,\"deliverAt\":\"2020-01-01T00:00:00Z\"}");
    assertThat(api.due).containsExactly("s");
  }

  @Test
  void theLimitsThemselvesPass() {
    String body = "\"" + "a".repeat(262_142) + "\"";
    assertThat(api.publish("{\"to\":\"s\",\"body\":" + body + "}").status()).isEqualTo(202);
    assertThat(api.raw(new byte[262_144], "Weir-To", "s").status()).isEqualTo(202);
    String base64 = Base64.getEncoder().encodeToString(new byte[262_144]);
    assertThat(api.publish("{\"to\":\"s\",\"bodyBase64\":\"" + base64 + "\"}").status())
        .isEqualTo(202);
    String headers = "{\"X\":\"" + "a".repeat(16_383) + "\"}";
    assertThat(api.publish("{\"to\":\"s\",\"body\":1,\"headers\":" + headers + "}").status())
        .isEqualTo(202);
    assertThat(api.publish("{\"to\":\"s\",\"body\":1,\"delaySeconds\":604800}").status())
        .isEqualTo(202);
    assertThat(
            api.publish(
                    new JsonObject()
                        .put("to", "s")
                        .put("body", 1)
                        .put("id", "é".repeat(128))
                        .encode())
                .status())
        .isEqualTo(202);
  }

  @Test
  void oneByteMoreIsRefused() {
    String body = "\"" + "a".repeat(262_143) + "\"";
    Answer json = api.publish("{\"to\":\"s\",\"body\":" + body + "}");
    assertThat(json.status()).isEqualTo(413);
    assertThat(json.detail()).isEqualTo("body is 262145 bytes; the limit is 262144");
    assertThat(json.json().getString("limit")).isEqualTo("262144 bytes");
    String base64 = Base64.getEncoder().encodeToString(new byte[262_145]);
    assertThat(api.publish("{\"to\":\"s\",\"bodyBase64\":\"" + base64 + "\"}").status())
        .isEqualTo(413);
    assertThat(api.raw(new byte[262_145], "Weir-To", "s").status()).isEqualTo(413);
    assertThat(api.publish(" ".repeat(1_048_577)).status()).isEqualTo(413);
    String headers = "{\"X\":\"" + "a".repeat(16_384) + "\"}";
    assertThat(api.publish("{\"to\":\"s\",\"body\":1,\"headers\":" + headers + "}").field())
        .isEqualTo("headers");
    assertThat(
            api.publish(
                    new JsonObject()
                        .put("to", "s")
                        .put("body", 1)
                        .put("id", "é".repeat(129))
                        .encode())
                .field())
        .isEqualTo("id");
    assertThat(api.rejected).containsExactly(413, 413, 413, 413, 400, 400);
  }

  @Test
  void tenThousandTargetsAreTheMost() {
    JsonArray targets = new JsonArray();
    IntStream.range(0, 10_000).forEach(i -> targets.add("u" + i));
    Answer unknown = api.publish(new JsonObject().put("to", targets).put("body", 1).encode());
    assertThat(unknown.status()).isEqualTo(404);
    assertThat(unknown.json().getJsonArray("subscribers")).hasSize(100);
    assertThat(unknown.detail()).contains("'u0'").contains("and 9995 more");
    targets.add("one more");
    assertThat(api.publish(new JsonObject().put("to", targets).put("body", 1).encode()).field())
        .isEqualTo("to");
  }

  @Test
  void unknownSubscribersAreNamedAndNothingIsStored() {
    Answer answer = api.publish("{\"to\":[\"s\",\"no\"],\"id\":\"m\",\"body\":1}");
    assertThat(answer.status()).isEqualTo(404);
    assertThat(answer.json().getJsonArray("subscribers")).containsExactly("no");
    assertThat(api.get("/v1/messages/m").status()).isEqualTo(404);
    assertThat(api.rejected).containsExactly(404);
  }

  @Test
  void theSameMessageIsTakenOnceAndAnotherBodyRefused() {
    String json = "{\"to\":\"s\",\"id\":\"m\",\"version\":1,\"body\":1}";
    Answer first = api.publish(json);
    Answer second = api.publish(json);
    assertThat(second.status()).isEqualTo(202);
    assertThat(second.text()).isEqualTo(first.text());
    assertThat(api.due).containsExactly("s");

    Answer conflict = api.publish(json.replace("\"body\":1", "\"body\":2"));
    assertThat(conflict.status()).isEqualTo(409);
    assertThat(conflict.json().getJsonArray("subscribers")).containsExactly("s");
    assertThat(api.publish(json.replace("\"version\":1", "\"version\":2")).status()).isEqualTo(202);
  }

  @Test
  void idsThatTheNodeMakesSortByTime() {
    String first = api.publish("{\"to\":\"s\",\"body\":1}").json().getString("id");
    api.clock.advance(Duration.ofMillis(1));
    String second = api.publish("{\"to\":\"s\",\"body\":1}").json().getString("id");
    assertThat(first).hasSize(24).isLessThan(second).matches("[0-9A-HJKMNP-TV-Z]{24}");
    assertThat(first.substring(10)).isNotEqualTo(second.substring(10));
  }

  @Test
  void anIdempotencyKeyGivesTheFirstAnswerAgain() {
    String json = "{\"to\":[\"s\",\"t\"],\"body\":{\"a\":1}}";
    Answer first = api.publish(json, "Idempotency-Key", "k1");
    Answer again = api.publish(json, "Idempotency-Key", "k1");

    assertThat(again.status()).isEqualTo(202);
    assertThat(again.text()).isEqualTo(first.text());
    assertThat(first.header("Idempotent-Replayed")).isEmpty();
    assertThat(again.header("Idempotent-Replayed")).isEqualTo("true");
    assertThat(api.hits).hasValue(1);
    assertThat(api.get("/v1/balance").json().getLong("accepted")).isEqualTo(2);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{\"to\":\"s\",\"body\":{\"a\": 1}}",
        "{\"to\":\"t\",\"body\":{\"a\":1}}",
        "{\"to\":\"s\",\"id\":\"x\",\"body\":{\"a\":1}}",
        "{\"to\":\"s\",\"body\":{\"a\":1},\"delaySeconds\":1}",
        "{\"to\":\"s\",\"body\":{\"a\":1},\"headers\":{\"A\":\"b\"}}",
        "{\"to\":\"s\",\"body\":{\"a\":1},\"type\":\"t\"}",
        "{\"to\":\"s\",\"body\":{\"a\":1},\"path\":\"/p\"}",
        "{\"to\":\"s\",\"body\":{\"a\":1},\"contentType\":\"a/b\"}",
        "{\"to\":\"s\",\"body\":{\"a\":1},\"deliverBy\":\"2026-03-04T00:00:00Z\"}",
      })
  void anIdempotencyKeyOfAnotherRequestIs422(String other) {
    api.publish("{\"to\":\"s\",\"body\":{\"a\":1}}", "Idempotency-Key", "k1");
    Answer answer = api.publish(other, "Idempotency-Key", "k1");
    assertThat(answer.status()).isEqualTo(422);
    assertThat(answer.field()).isEqualTo("Idempotency-Key");
  }

  @Test
  void whatWasLostBetweenBindingAndAnswerIsMadeUpForUnderTheSameId() {
    String json = "{\"to\":\"s\",\"body\":1}";
    api.store.on("publish").nth(1).loseReply();
    assertThat(api.publish(json, "Idempotency-Key", "k").status()).isEqualTo(503);
    Answer repeat = api.publish(json, "Idempotency-Key", "k");
    assertThat(repeat.status()).isEqualTo(202);
    assertThat(api.get("/v1/balance").json().getLong("accepted")).isEqualTo(1);

    api.store.on("answered").nth(1).fail(StoreException.Kind.UNAVAILABLE);
    assertThat(api.publish(json, "Idempotency-Key", "k2").status()).isEqualTo(202);
    assertThat(api.publish(json, "Idempotency-Key", "k2").status()).isEqualTo(202);
    assertThat(api.get("/v1/balance").json().getLong("accepted")).isEqualTo(2);
  }

  @Test
  void idempotencyKeysAreBounded() {
    String json = "{\"to\":\"s\",\"body\":1}";
    assertThat(api.publish(json, "Idempotency-Key", "k".repeat(255)).status()).isEqualTo(202);
    assertThat(api.publish(json, "Idempotency-Key", "k".repeat(256)).field())
        .isEqualTo("Idempotency-Key");
    assertThat(api.publish(json, "Idempotency-Key", "a", "Idempotency-Key", "b").status())
        .isEqualTo(400);
  }

  @Test
  void aStoreThatIsAwayOrFullNeverGives202() {
    api.store.on("publish").nth(1).fail(StoreException.Kind.UNAVAILABLE);
    api.store.on("publish").nth(2).fail(StoreException.Kind.FULL);
    Answer away = api.publish("{\"to\":\"s\",\"body\":1}");
    assertThat(away.status()).isEqualTo(503);
    assertThat(away.header("Retry-After")).isEqualTo("1");
    Answer full = api.publish("{\"to\":\"s\",\"body\":1}");
    assertThat(full.status()).isEqualTo(503);
    assertThat(full.json().getString("type")).isEqualTo("urn:weir:problem:full");
    assertThat(full.header("Retry-After")).isEqualTo("5");
    assertThat(api.rejected).containsExactly(503, 503);
  }
}
