package dev.weir.receiver;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ReceiverIT {

  private final Vertx vertx = Vertx.vertx();
  private final HttpClient client = HttpClient.newHttpClient();
  private @TempDir Path dir;
  private Path log;
  private Receiver receiver;

  @BeforeEach
  void startOne() throws Exception {
    log = dir.resolve("arrivals.jsonl");
    receiver = await(Receiver.start(vertx, new ReceiverOptions(0, null, log)));
  }

  @AfterEach
  void closeAll() throws Exception {
    await(vertx.close());
  }

  @Test
  void anArrivalIsLoggedWithWhatItCarried() throws Exception {
    HttpResponse<String> answer =
        client.send(
            request("/orders")
                .header("Idempotency-Key", "shp_1:store:3")
                .header("Weir-Message-Id", "shp_1")
                .header("Weir-Attempt", "2")
                .header("Weir-Sent-At", "1234567")
                .header("Weir-Node", "n1")
                .POST(HttpRequest.BodyPublishers.ofString("abc"))
                .build(),
            HttpResponse.BodyHandlers.ofString());
    await(receiver.close());

    Arrival arrival = Arrivals.read(log).all().get(0);
    assertThat(answer.statusCode()).isEqualTo(200);
    assertThat(arrival.key()).isEqualTo("shp_1:store:3");
    assertThat(arrival.messageId()).isEqualTo("shp_1");
    assertThat(arrival.attempt()).isEqualTo(2);
    assertThat(arrival.sentAtNs()).isEqualTo(1_234_567);
    assertThat(arrival.node()).isEqualTo("n1");
    assertThat(arrival.bodyBytes()).isEqualTo(3);
    assertThat(arrival.bodySha256())
        .isEqualTo("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    assertThat(arrival.accepted()).isTrue();
  }

  @Test
  void aDelayedAnswerIsInTheLogBeforeItIsGiven() throws Exception {
    script("{paths: [{path: /slow, rules: [{answer: {delay: 300ms}}]}]}");

    Future<HttpResponse<String>> answer = post("/slow", "k");
    Arrival waiting = awaitFirstArrival();
    await(answer);

    assertThat(waiting.accepted()).isFalse();
    assertThat(waiting.result()).isEqualTo("200");
    await(receiver.close());
    Arrival answered = Arrivals.read(log).all().get(0);
    assertThat(answered.accepted()).isTrue();
    assertThat(answered.answeredNs() - answered.ns())
        .isBetween(Duration.ofMillis(290).toNanos(), Duration.ofSeconds(10).toNanos());
  }

  @Test
  void aResetAndACloseGiveNoAnswer() throws Exception {
    script(
        """
        paths:
          - {path: /reset, rules: [{answer: {resetAfterReading: true}}]}
          - {path: /close, rules: [{answer: {closeBeforeAnswer: true}}]}
        """);

    assertThatThrownBy(() -> await(post("/reset", "k")))
        .hasRootCauseInstanceOf(IOException.class)
        .rootCause()
        .hasMessageContaining("reset");
    assertThatThrownBy(() -> await(post("/close", "k"))).hasRootCauseInstanceOf(IOException.class);
    assertThat(stats().getJsonObject("byPath").encode())
        .contains("\"/reset\":{\"reset\":1}")
        .contains("\"/close\":{\"close\":");
  }

  @Test
  void aHangIsNeverAnswered() throws Exception {
    script("{paths: [{path: /hang, rules: [{answer: {hang: true}}]}]}");

    assertThatThrownBy(
            () ->
                client.send(
                    request("/hang").timeout(Duration.ofMillis(200)).build(),
                    HttpResponse.BodyHandlers.ofString()))
        .isInstanceOf(java.net.http.HttpTimeoutException.class);
  }

  @Test
  void aBodyDripsInPieces() throws Exception {
    script(
        "{paths: [{path: /drip, rules: [{answer: {body: abcdefgh, drip: {bytes: 3, every: 20ms}}}]}]}");

    assertThat(await(post("/drip", "k")).body()).isEqualTo("abcdefgh");
  }

  @Test
  void repeatsOfAnAcceptedKeyAreCounted() throws Exception {
    script("{paths: [{path: /x, rules: [{match: {first: 1}, answer: {status: 503}}]}]}");
    for (String key : new String[] {"a", "a", "a", "b"}) {
      await(post("/x", key));
    }

    assertThat(stats().getLong("arrivals")).isEqualTo(4);
    assertThat(stats().getLong("distinctKeys")).isEqualTo(2);
    assertThat(stats().getLong("acceptedKeys")).isEqualTo(2);
    assertThat(stats().getLong("duplicates")).isEqualTo(1);
    assertThat(stats().getJsonObject("byPath").getJsonObject("/x").getMap())
        .containsEntry("200", 3)
        .containsEntry("503", 1);
  }

  @Test
  void resetForgetsEverythingButKeepsTheScript() throws Exception {
    script("{paths: [{path: /x, rules: [{match: {first: 1}, answer: {status: 503}}]}]}");
    assertThat(await(post("/x", "k")).statusCode()).isEqualTo(503);

    client.send(
        request("/_receiver/reset").POST(HttpRequest.BodyPublishers.noBody()).build(),
        HttpResponse.BodyHandlers.ofString());

    assertThat(stats().getLong("arrivals")).isZero();
    assertThat(await(post("/x", "k")).statusCode()).isEqualTo(503);
  }

  @Test
  void aBrokenScriptIsRefusedWithItsPlaceAndTheOldOneStays() throws Exception {
    script("{default: {status: 202}}");

    HttpResponse<String> refused =
        client.send(
            request("/_receiver/script")
                .PUT(HttpRequest.BodyPublishers.ofString("{paths: [{path: x}]}"))
                .build(),
            HttpResponse.BodyHandlers.ofString());

    assertThat(refused.statusCode()).isEqualTo(400);
    assertThat(refused.body()).contains("paths[0].path: must begin with /");
    assertThat(await(post("/x", "k")).statusCode()).isEqualTo(202);
  }

  @Test
  void aTakenPortIsNamed() {
    assertThatThrownBy(
            () -> await(Receiver.start(vertx, new ReceiverOptions(receiver.port(), null, null))))
        .rootCause()
        .isNotNull();
    assertThatThrownBy(
            () -> await(Receiver.start(vertx, new ReceiverOptions(receiver.port(), null, null))))
        .hasMessageContaining("can't listen on 127.0.0.1:" + receiver.port());
  }

  @Test
  void aLineCutOffByAKillIsLeftOut() throws Exception {
    await(post("/x", "k"));
    await(receiver.close());
    Files.writeString(log, Files.readString(log) + "{\"seq\":2,\"ns\":12");

    assertThat(Arrivals.read(log).count()).isEqualTo(1);
  }

  private void script(String yaml) throws Exception {
    HttpResponse<String> answer =
        client.send(
            request("/_receiver/script").PUT(HttpRequest.BodyPublishers.ofString(yaml)).build(),
            HttpResponse.BodyHandlers.ofString());
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
  }

  private JsonObject stats() throws Exception {
    return new JsonObject(
        client
            .send(request("/_receiver/stats").build(), HttpResponse.BodyHandlers.ofString())
            .body());
  }

  private Arrival awaitFirstArrival() throws Exception {
    for (int round = 0; round < 1_000; round++) {
      JsonObject page =
          new JsonObject(
              client
                  .send(
                      request("/_receiver/log?after=0").build(),
                      HttpResponse.BodyHandlers.ofString())
                  .body());
      if (!page.getJsonArray("items").isEmpty()) {
        return Arrival.fromJson(page.getJsonArray("items").getJsonObject(0));
      }
    }
    throw new AssertionError("nothing arrived");
  }

  private Future<HttpResponse<String>> post(String path, String key) {
    return Future.fromCompletionStage(
        client.sendAsync(
            request(path)
                .header("Idempotency-Key", key)
                .POST(HttpRequest.BodyPublishers.ofString("{}"))
                .build(),
            HttpResponse.BodyHandlers.ofString()));
  }

  private HttpRequest.Builder request(String path) {
    return HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + receiver.port() + path));
  }

  private static <T> T await(Future<T> future) throws Exception {
    try {
      return future.toCompletionStage().toCompletableFuture().get(20, TimeUnit.SECONDS);
    } catch (CompletionException e) {
      throw new AssertionError(e);
    }
  }
}
