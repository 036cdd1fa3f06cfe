package dev.weir.store;

import dev.weir.domain.outcome.RetryPolicy;
import dev.weir.domain.outcome.StatusPolicy;
import dev.weir.domain.outcome.StatusPolicy.Treatment;
import dev.weir.domain.quota.Quota;
import dev.weir.domain.quota.Rate;
import dev.weir.domain.subscriber.Subscriber;
import dev.weir.domain.subscriber.Subscriber.OnAmbiguous;
import io.vertx.core.json.JsonObject;
import java.net.URI;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Subscribers and quotas as the JSON that the store keeps for Java; no script reads it. A format
 * number stands first, and one that is newer than ours is refused instead of half understood.
 */
final class SubscriberCodec {

  private static final int FORMAT = 1;

  private SubscriberCodec() {}

  static String encode(Subscriber subscriber) {
    JsonObject status = new JsonObject();
    subscriber
        .statusPolicy()
        .byStatus()
        .forEach((code, treatment) -> status.put(String.valueOf(code), treatment.name()));
    return new JsonObject()
        .put("format", FORMAT)
        .put("id", subscriber.id())
        .put("endpoint", subscriber.endpoint().toString())
        .put("method", subscriber.method())
        .put("quota", subscriber.quotaId())
        .put("maxInFlight", subscriber.maxInFlight())
        .put("timeoutMs", subscriber.timeout().toMillis())
        .put("retry", encode(subscriber.retry()))
        .put("status", status)
        .put("onAmbiguous", subscriber.onAmbiguous().name())
        .put("objectiveMs", subscriber.objective().toMillis())
        .put("headers", new JsonObject(new LinkedHashMap<>(subscriber.headers())))
        .put("stamp", subscriber.stampAttempts())
        .encode();
  }

  static Subscriber subscriber(String text) {
    JsonObject json = new JsonObject(text);
    requireFormat(json);
    return new Subscriber(
        json.getString("id"),
        URI.create(json.getString("endpoint")),
        json.getString("method"),
        json.getString("quota"),
        json.getInteger("maxInFlight"),
        Duration.ofMillis(json.getLong("timeoutMs")),
        retry(json.getJsonObject("retry")),
        new StatusPolicy(status(json.getJsonObject("status"))),
        OnAmbiguous.valueOf(json.getString("onAmbiguous")),
        Duration.ofMillis(json.getLong("objectiveMs")),
        headers(json.getJsonObject("headers")),
        json.getBoolean("stamp"));
  }

  static String encode(Quota quota) {
    return new JsonObject()
        .put("format", FORMAT)
        .put("id", quota.id())
        .put("tokens", quota.rate().tokens())
        .put("periodMicros", quota.rate().periodMicros())
        .put("burst", quota.burst())
        .encode();
  }

  static Quota quota(String text) {
    JsonObject json = new JsonObject(text);
    requireFormat(json);
    return new Quota(
        json.getString("id"),
        new Rate(json.getLong("tokens"), json.getLong("periodMicros")),
        json.getInteger("burst"));
  }

  private static JsonObject encode(RetryPolicy retry) {
    return new JsonObject()
        .put("baseMs", retry.base().toMillis())
        .put("factor", retry.factor())
        .put("capMs", retry.cap().toMillis())
        .put("floorMs", retry.floor().toMillis())
        .put("maxFailures", retry.maxFailures());
  }

  private static RetryPolicy retry(JsonObject json) {
    return new RetryPolicy(
        Duration.ofMillis(json.getLong("baseMs")),
        json.getDouble("factor"),
        Duration.ofMillis(json.getLong("capMs")),
        Duration.ofMillis(json.getLong("floorMs")),
        json.getInteger("maxFailures"));
  }

  private static Map<Integer, Treatment> status(JsonObject json) {
    Map<Integer, Treatment> byStatus = new LinkedHashMap<>();
    for (String code : json.fieldNames()) {
      byStatus.put(Integer.valueOf(code), Treatment.valueOf(json.getString(code)));
    }
    return byStatus;
  }

  private static Map<String, String> headers(JsonObject json) {
    Map<String, String> headers = new LinkedHashMap<>();
    for (String name : json.fieldNames()) {
      headers.put(name, json.getString(name));
    }
    return headers;
  }

  private static void requireFormat(JsonObject json) {
    if (json.getInteger("format", 0) != FORMAT) {
      throw new IllegalArgumentException(
          "stored configuration has format "
              + json.getValue("format")
              + "; this Weir reads format "
              + FORMAT);
    }
  }
}
