package dev.weir.scenarios.eval;

import dev.weir.domain.message.DeliveryId;
import dev.weir.domain.message.Escaping;
import dev.weir.domain.message.MessageId;
import dev.weir.receiver.Arrival;
import dev.weir.receiver.Arrivals;
import dev.weir.scenarios.client.Answer;
import dev.weir.scenarios.client.WeirClient;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.zone.ZoneOffsetTransition;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;

/** All fixed cases, in the order in which they are reported. */
public final class Cases {

  private static final JsonObject DEFAULTS = new JsonObject();

  private Cases() {}

  public static List<EvalCase> all() {
    return List.of(
        new EvalCase(
            "retry-after-17",
            "429 with Retry-After: 17 is tried again once, not before 17 s, and costs no failure",
            "- {match: {attempt: 1}, answer: {status: 429, headers: {Retry-After: '17'}}}",
            false,
            Cases::retryAfterSeconds),
        new EvalCase(
            "temporary-503",
            "two 503s are retried with backoff, the third attempt delivers",
            "- {match: {first: 2}, answer: {status: 503}}",
            false,
            Cases::temporary503),
        new EvalCase(
            "killed-before-settle",
            "kill -9 after the receiver accepted and before the settle: sent again with the same"
                + " key, one outcome",
            "- {match: {first: 1}, answer: {delay: 3s}}",
            true,
            Cases::killedBeforeSettle),
        new EvalCase(
            "handed-in-twice",
            "the same delivery handed in at once, and again after 60 fast retries, is one delivery",
            "- {match: {first: 60}, answer: {status: 503}}",
            false,
            Cases::handedInTwice),
        new EvalCase(
            "two-versions",
            "two versions of one shipment are two deliveries with keys of their own",
            "",
            false,
            Cases::twoVersions),
        new EvalCase(
            "retry-after-date",
            "an HTTP-date in Retry-After is a floor like seconds are",
            "- {match: {attempt: 1}, answer: {status: 503, headers: {Retry-After: '{date+3s}'}}}",
            false,
            Cases::retryAfterDate),
        new EvalCase(
            "permanent-4xx",
            "a 422 is dead after one attempt, with the answer kept, and waits for a redrive",
            "- {answer: {status: 422, body: 'no such shipment'}}",
            false,
            Cases::permanent4xx),
        new EvalCase(
            "beyond-seven-days",
            "a Retry-After beyond seven days is not clipped: the delivery waits for a person",
            "- {answer: {status: 429, headers: {Retry-After: '700000'}}}",
            false,
            Cases::beyondSevenDays),
        new EvalCase(
            "daylight-saving",
            "deliverAt is an instant: exact around the clock changes, refused without an offset",
            "",
            false,
            Cases::daylightSaving),
        new EvalCase(
            "store-full",
            "a publish whose store write fails is answered 503 and leaves nothing half-stored",
            "",
            true,
            Cases::storeFull),
        new EvalCase(
            "store-frozen",
            "a publish that the store does not answer is answered 503; handed in again it is one"
                + " delivery",
            "",
            true,
            Cases::storeFrozen),
        new EvalCase(
            "no-answer-retry",
            "no answer after the request was written, onAmbiguous retry: tried again, marked so",
            "- {match: {first: 1}, answer: {resetAfterReading: true}}",
            false,
            Cases::noAnswerRetry),
        new EvalCase(
            "no-answer-hold",
            "no answer after the request was written, onAmbiguous hold: waits for a person, unsent",
            "- {answer: {hang: true}}",
            false,
            Cases::noAnswerHold));
  }

  private static void retryAfterSeconds(Stage stage) {
    // One failure would be its death: that it is delivered shows that the 429 was none.
    DeliveryId id = publishOne(stage, retry("1s", "1s", 1));
    JsonObject done = stage.await(id, "done", Duration.ofSeconds(50));
    List<Arrival> arrived = stage.requireOutcome(done, id, 2, 1).all();
    requireApart(stage, arrived, Duration.ofSeconds(17));
    JsonObject first = stage.attempt(done, 1);
    stage.require(
        "17".equals(first.getString("retryAfter")),
        "the trace keeps Retry-After %s as received, not 17",
        first.getString("retryAfter"));
    stage.require(
        first.getLong("delayMs") >= 17_000,
        "a delay of %d ms was chosen",
        first.getLong("delayMs"));
  }

  private static void temporary503(Stage stage) {
    DeliveryId id = publishOne(stage, retry("100ms", "1s", 16));
    stage.requireOutcome(stage.await(id, "done", Stage.SOON), id, 3, 1);
  }

  private static void killedBeforeSettle(Stage stage) {
    DeliveryId id = publishOne(stage, new JsonObject().put("timeout", "5s"));
    stage.awaitThat(() -> stage.arrivals(id).count() == 1, Stage.SOON, () -> "nothing has arrived");
    stage.node().kill();
    stage.node().restart();
    JsonObject done = stage.await(id, "done", Duration.ofSeconds(40));
    Arrivals arrived = stage.arrivals(id);
    stage.require(arrived.count() == 2, "%d requests arrived, expected 2", arrived.count());
    stage.requireOutcome(done, id, 2, 1 + (arrived.all().get(0).accepted() ? 1 : 0));
    stage.requireBalance();
  }

  private static void handedInTwice(Stage stage) {
    String subscriber = stage.subscribe(retry("10ms", "20ms", 100).put("rate", "unlimited"));
    MessageId message = stage.message(1);
    JsonObject publication = stage.publication(message, subscriber);
    DeliveryId id = new DeliveryId(message, subscriber);
    List<CompletableFuture<Answer>> atOnce =
        IntStream.range(0, 8)
            .mapToObj(i -> CompletableFuture.supplyAsync(() -> stage.publish(publication)))
            .toList();
    String answer = atOnce.get(0).join().body();
    for (CompletableFuture<Answer> same : atOnce) {
      stage.require(same.join().body().equals(answer), "answers differ: %s", same.join().body());
    }
    JsonObject done = stage.await(id, "done", Duration.ofSeconds(40));
    stage.requireOutcome(done, id, 61, 1);
    for (int i = 0; i < 60; i++) {
      stage.require(
          stage.publish(publication).body().equals(answer),
          "a later answer differs from the first");
    }
    JsonObject other = publication.copy().put("body", "something else");
    stage.require(
        stage.client().publish(other.encode()).status() == 409, "another body was not refused");
    stage.requireOutcome(stage.await(id, "done", Stage.SOON), id, 61, 1);
  }

  private static void twoVersions(Stage stage) {
    String subscriber = stage.subscribe(DEFAULTS);
    DeliveryId first = new DeliveryId(stage.message(1), subscriber);
    DeliveryId second = new DeliveryId(stage.message(2), subscriber);
    stage.publish(stage.publication(second.message(), subscriber));
    stage.publish(stage.publication(first.message(), subscriber));
    for (DeliveryId id : List.of(first, second)) {
      stage.requireOutcome(stage.await(id, "done", Stage.SOON), id, 1, 1);
    }
  }

  private static void retryAfterDate(Stage stage) {
    DeliveryId id = publishOne(stage, DEFAULTS);
    JsonObject done = stage.await(id, "done", Duration.ofSeconds(40));
    List<Arrival> arrived = stage.requireOutcome(done, id, 2, 1).all();
    Instant asked =
        DateTimeFormatter.RFC_1123_DATE_TIME.parse(
            stage.attempt(done, 1).getString("retryAfter"), Instant::from);
    stage.require(
        arrived.get(1).atMicros() / 1_000 >= asked.toEpochMilli(),
        "it was sent again before %s",
        asked);
  }

  private static void permanent4xx(Stage stage) {
    DeliveryId id = publishOne(stage, DEFAULTS);
    JsonObject dead = stage.await(id, "dead", Stage.SOON);
    stage.requireOutcome(dead, id, 1, 0);
    stage.require(
        stage.attempt(dead, 1).getString("excerpt", "").contains("no such shipment"),
        "the trace lacks what the receiver said");
    List<JsonObject> letters =
        stage
            .client()
            .get("/v1/dead-letters?subscriber=" + Escaping.escape(id.subscriber()))
            .getJsonArray("items")
            .stream()
            .map(JsonObject.class::cast)
            .toList();
    stage.require(letters.size() == 1, "%d dead letters are listed, expected 1", letters.size());
  }

  private static void beyondSevenDays(Stage stage) {
    DeliveryId id = publishOne(stage, DEFAULTS);
    JsonObject held = stage.await(id, "reconciling", Stage.SOON);
    stage.requireOutcome(held, id, 1, 0);
    stage.require(
        held.getString("askedDelay") != null && held.getString("reason") != null,
        "it does not say what was asked for: %s",
        held);
  }

  private static void daylightSaving(Stage stage) {
    String subscriber = stage.subscribe(DEFAULTS);
    long version = 0;
    for (String text : aroundClockChanges(Instant.now())) {
      DeliveryId id = new DeliveryId(stage.message(++version), subscriber);
      stage.publish(stage.publication(id.message(), subscriber).put("deliverAt", text));
      JsonObject scheduled = stage.await(id, "scheduled", Stage.SOON);
      Instant meant = DateTimeFormatter.ISO_OFFSET_DATE_TIME.parse(text, Instant::from);
      stage.require(
          Instant.parse(scheduled.getString("nextAttemptAt")).equals(meant),
          "%s is kept as %s",
          text,
          scheduled.getString("nextAttemptAt"));
      stage.client().post(cancelPath(id), new JsonObject());
    }
    requireOffset(stage, subscriber, ++version);
    requireInTime(stage, subscriber, ++version);
  }

  /** The hour that is left out, the hour that comes twice, both written with either offset. */
  static List<String> aroundClockChanges(Instant now) {
    List<String> texts = new ArrayList<>();
    Instant at = now;
    for (int i = 0; i < 2; i++) {
      ZoneOffsetTransition change = ZoneId.of("Europe/Berlin").getRules().nextTransition(at);
      for (long minutes : new long[] {-30, 0, 30}) {
        Instant instant = change.getInstant().plus(Duration.ofMinutes(minutes));
        for (ZoneOffset offset : List.of(change.getOffsetBefore(), change.getOffsetAfter())) {
          texts.add(DateTimeFormatter.ISO_OFFSET_DATE_TIME.format(instant.atOffset(offset)));
        }
      }
      at = change.getInstant();
    }
    return texts;
  }

  private static void requireOffset(Stage stage, String subscriber, long version) {
    JsonObject local =
        stage
            .publication(stage.message(version), subscriber)
            .put("deliverAt", "2027-03-28T02:30:00");
    Answer answer = stage.client().publish(local.encode());
    stage.require(
        answer.status() == 400 && answer.body().contains("deliverAt"),
        "a time without an offset was answered %d: %s",
        answer.status(),
        answer.body());
  }

  private static void requireInTime(Stage stage, String subscriber, long version) {
    DeliveryId id = new DeliveryId(stage.message(version), subscriber);
    Instant due = Instant.now().plusMillis(2_000);
    String text =
        DateTimeFormatter.ISO_OFFSET_DATE_TIME.format(
            due.atOffset(ZoneOffset.ofHoursMinutes(5, 45)));
    stage.publish(stage.publication(id.message(), subscriber).put("deliverAt", text));
    Arrivals arrived = stage.requireOutcome(stage.await(id, "done", Stage.SOON), id, 1, 1);
    long lateMs = arrived.all().get(0).atMicros() / 1_000 - due.toEpochMilli();
    stage.require(lateMs >= 0 && lateMs < 2_000, "it came %d ms after its instant", lateMs);
  }

  private static void storeFull(Stage stage) {
    String[] three = subscribeThree(stage);
    MessageId message = stage.message(1);
    JsonObject publication = stage.publication(message, three);
    long before = stage.client().get("/v1/balance").getLong("accepted");
    stage.node().redis().maxMemory(1);
    Answer refused;
    try {
      refused = stage.client().publish(publication.encode());
    } finally {
      stage.node().redis().maxMemory(0);
    }
    requireUnavailable(stage, refused);
    stage.require(
        stage.client().call("GET", WeirClient.messagePath(message), null).status() == 404,
        "the node knows a message that it refused");
    long after = stage.client().get("/v1/balance").getLong("accepted");
    stage.require(after == before, "accepted went from %d to %d", before, after);
    handInAgain(stage, publication, message, three);
  }

  private static void storeFrozen(Stage stage) {
    String[] three = subscribeThree(stage);
    MessageId message = stage.message(1);
    JsonObject publication = stage.publication(message, three);
    stage.node().redis().freeze();
    Answer refused;
    try {
      refused = stage.client().publish(publication.encode());
    } finally {
      stage.node().redis().thaw();
    }
    requireUnavailable(stage, refused);
    handInAgain(stage, publication, message, three);
  }

  private static String[] subscribeThree(Stage stage) {
    return new String[] {
      stage.subscribe("/a", DEFAULTS),
      stage.subscribe("/b", DEFAULTS),
      stage.subscribe("/c", DEFAULTS)
    };
  }

  private static void requireUnavailable(Stage stage, Answer refused) {
    stage.require(
        refused.status() == 503 && refused.retryAfter().isPresent(),
        "the publish was answered %d (Retry-After %s): %s",
        refused.status(),
        refused.retryAfter().orElse("none"),
        refused.body());
  }

  /** As a producer does after a 503. */
  private static void handInAgain(
      Stage stage, JsonObject publication, MessageId message, String[] subscribers) {
    stage.awaitThat(
        () -> stage.client().publish(publication.encode()).status() == 202,
        Stage.SOON,
        () -> "the publish is still refused");
    for (String subscriber : subscribers) {
      DeliveryId id = new DeliveryId(message, subscriber);
      stage.watch(id);
      stage.requireOutcome(stage.await(id, "done", Stage.SOON), id, 1, 1);
    }
    stage.requireBalance();
  }

  private static void noAnswerRetry(Stage stage) {
    DeliveryId id = publishOne(stage, new JsonObject().put("onAmbiguous", "retry"));
    JsonObject done = stage.await(id, "done", Stage.SOON);
    stage.requireOutcome(done, id, 2, 1);
    stage.require(
        stage.attempt(done, 1).getBoolean("ambiguous", false), "attempt 1 is not marked ambiguous");
  }

  private static void noAnswerHold(Stage stage) {
    DeliveryId id =
        publishOne(stage, new JsonObject().put("onAmbiguous", "hold").put("timeout", "500ms"));
    JsonObject held = stage.await(id, "reconciling", Stage.SOON);
    stage.requireOutcome(held, id, 1, 0);
    stage.require(
        stage.attempt(held, 1).getBoolean("ambiguous", false), "attempt 1 is not marked ambiguous");
  }

  private static DeliveryId publishOne(Stage stage, JsonObject more) {
    String subscriber = stage.subscribe(more);
    DeliveryId id = new DeliveryId(stage.message(1), subscriber);
    stage.publish(stage.publication(id.message(), subscriber));
    return id;
  }

  private static JsonObject retry(String base, String cap, int maxFailures) {
    return new JsonObject()
        .put(
            "retry",
            new JsonObject()
                .put("base", base)
                .put("factor", 1)
                .put("cap", cap)
                .put("floor", "5ms")
                .put("maxFailures", maxFailures));
  }

  private static void requireApart(Stage stage, List<Arrival> arrived, Duration least) {
    long apartMs = (arrived.get(1).ns() - arrived.get(0).ns()) / 1_000_000;
    stage.require(apartMs >= least.toMillis(), "the attempts are only %d ms apart", apartMs);
  }

  private static String cancelPath(DeliveryId id) {
    String path = WeirClient.deliveryPath(id);
    int query = path.indexOf('?');
    return query < 0
        ? path + "/cancel"
        : path.substring(0, query) + "/cancel" + path.substring(query);
  }
}
