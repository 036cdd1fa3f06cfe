package dev.weir.api;

import dev.weir.api.http.JsonFields;
import dev.weir.api.http.JsonWriter;
import dev.weir.api.http.Problem;
import dev.weir.domain.message.HeaderRules;
import dev.weir.domain.outcome.RetryPolicy;
import dev.weir.domain.outcome.StatusPolicy;
import dev.weir.domain.outcome.StatusPolicy.Treatment;
import dev.weir.domain.quota.Quota;
import dev.weir.domain.quota.Rate;
import dev.weir.domain.subscriber.Subscriber;
import dev.weir.domain.subscriber.Subscriber.OnAmbiguous;
import dev.weir.domain.time.Durations;
import dev.weir.protocol.store.ConfigStore.Counts;
import dev.weir.protocol.store.ConfigStore.QuotaView;
import dev.weir.protocol.store.ConfigStore.SubscriberView;
import java.net.URI;
import java.net.URISyntaxException;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Subscribers and quotas as JSON, in and out. */
final class SubscriberJson {

  private static final int MAX_ENDPOINT_CHARS = 2_048;
  private static final String ENDPOINT_LIMIT =
      "absolute http or https URI with a host, without user info or fragment, at most "
          + MAX_ENDPOINT_CHARS
          + " characters";
  private static final String RATE_LIMIT = "1/day to 100000/s, \"0\" or \"unlimited\"";
  private static final String STATUS_LIMIT = "status codes 300 to 599";
  private static final Pattern STATUS = Pattern.compile("[345]\\d\\d");
  private static final String HEADERS_LIMIT = "RFC 9110 names and visible ASCII, 16384 bytes";

  private SubscriberJson() {}

  /**
   * @param own null when it shares a quota
   */
  record Configuration(Subscriber subscriber, @Nullable Quota own) {}

  static Configuration read(String id, JsonFields json) {
    URI endpoint = endpoint(json);
    String method = json.oneOf("method", List.of("POST", "PUT", "PATCH")).orElse("POST");
    Optional<String> shared = sharedQuota(id, json);
    Quota own = shared.isPresent() ? null : quota(id, json, Rate.UNLIMITED);
    Subscriber subscriber =
        new Subscriber(
            id,
            endpoint,
            method,
            shared.orElse(id),
            json.integer("maxInFlight", 1, Subscriber.MAX_IN_FLIGHT)
                .map(Long::intValue)
                .orElse(Subscriber.DEFAULT_IN_FLIGHT),
            json.duration("timeout", Subscriber.MIN_TIMEOUT, Subscriber.MAX_TIMEOUT)
                .orElse(Subscriber.DEFAULT_TIMEOUT),
            json.object("retry").map(SubscriberJson::retry).orElse(RetryPolicy.DEFAULT),
            json.object("statusPolicy")
                .map(SubscriberJson::statusPolicy)
                .orElse(StatusPolicy.DEFAULT),
            json.oneOf("onAmbiguous", List.of("retry", "hold"))
                .map(word -> OnAmbiguous.valueOf(word.toUpperCase(Locale.ROOT)))
                .orElse(OnAmbiguous.RETRY),
            json.duration("objective", Duration.ofSeconds(1), Duration.ofDays(7))
                .orElse(Subscriber.DEFAULT_OBJECTIVE),
            headers(json),
            json.flag("stampAttempts").orElse(false));
    json.refuseUnknown();
    return new Configuration(subscriber, own);
  }

  /** Rate and burst; the rate is required when there is no default. */
  static Quota quota(String id, JsonFields json, @Nullable Rate defaultRate) {
    Optional<String> text =
        defaultRate == null ? Optional.of(json.requiredText("rate")) : json.text("rate");
    Rate rate =
        text.map(given -> json.checked("rate", RATE_LIMIT, () -> Rate.parse(given)))
            .orElse(defaultRate == null ? Rate.UNLIMITED : defaultRate);
    int burst =
        json.integer("burst", 1, Quota.MAX_BURST)
            .map(Long::intValue)
            .orElseGet(() -> Quota.defaultBurst(rate));
    return new Quota(id, rate, burst);
  }

  private static Optional<String> sharedQuota(String id, JsonFields json) {
    Optional<String> name = json.text("quota").map(text -> Ids.subscriber("quota", text));
    if (name.isEmpty()) {
      return name;
    }
    for (String field : List.of("rate", "burst")) {
      if (json.has(field)) {
        throw Problem.invalid(
                field,
                "not together with quota",
                "'" + field + "' is the shared quota's to set: PUT /v1/quotas/{id}")
            .refused();
      }
    }
    if (name.get().equals(id)) {
      throw Problem.invalid(
              "quota",
              "another id than the subscriber's",
              "a shared quota can't have the subscriber's own id; leave quota out for its own")
          .refused();
    }
    return name;
  }

  private static URI endpoint(JsonFields json) {
    String text = json.requiredText("endpoint");
    return json.checked("endpoint", ENDPOINT_LIMIT, () -> requireEndpoint(text));
  }

  private static URI requireEndpoint(String text) {
    if (text.length() > MAX_ENDPOINT_CHARS) {
      throw new IllegalArgumentException("is longer than " + MAX_ENDPOINT_CHARS + " characters");
    }
    URI uri;
    try {
      uri = new URI(text).parseServerAuthority();
    } catch (URISyntaxException e) {
      throw new IllegalArgumentException("is no URI: " + e.getReason(), e);
    }
    if (!"http".equalsIgnoreCase(uri.getScheme()) && !"https".equalsIgnoreCase(uri.getScheme())) {
      throw new IllegalArgumentException("must begin with http:// or https://");
    }
    if (uri.getHost() == null || uri.getPort() == 0 || uri.getPort() > 65_535) {
      throw new IllegalArgumentException("must name a host, and a port of 1 to 65535 if any");
    }
    if (uri.getRawUserInfo() != null) {
      throw new IllegalArgumentException(
          "must not hold user info; set an Authorization header instead");
    }
    if (uri.getRawFragment() != null) {
      throw new IllegalArgumentException("must not hold a fragment ('#')");
    }
    if (!text.equals(uri.toASCIIString())) {
      throw new IllegalArgumentException("must be ASCII; percent-encode the rest");
    }
    return uri;
  }

  private static RetryPolicy retry(JsonFields json) {
    RetryPolicy preset = RetryPolicy.DEFAULT;
    Duration base =
        json.duration("base", Duration.ofMillis(1), RetryPolicy.BOUNDARY).orElse(preset.base());
    Duration cap =
        json.duration("cap", base, RetryPolicy.BOUNDARY).orElse(longer(base, preset.cap()));
    Duration floor =
        json.duration("floor", Duration.ZERO, cap).orElse(shorter(cap, preset.floor()));
    RetryPolicy policy =
        new RetryPolicy(
            base,
            json.number("factor", 1, 10).orElse(preset.factor()),
            cap,
            floor,
            json.integer("maxFailures", 1, 100).map(Long::intValue).orElse(preset.maxFailures()));
    json.refuseUnknown();
    return policy;
  }

  private static Duration longer(Duration one, Duration other) {
    return one.compareTo(other) > 0 ? one : other;
  }

  private static Duration shorter(Duration one, Duration other) {
    return one.compareTo(other) < 0 ? one : other;
  }

  private static StatusPolicy statusPolicy(JsonFields json) {
    Map<Integer, Treatment> byStatus = new HashMap<>();
    for (String status : json.names()) {
      if (!STATUS.matcher(status).matches()) {
        throw Problem.invalid(
                "statusPolicy", STATUS_LIMIT, "statusPolicy takes " + STATUS_LIMIT + " as names")
            .refused();
      }
      json.oneOf(status, List.of("retry", "dead", "pause"))
          .ifPresent(
              word ->
                  byStatus.put(
                      Integer.valueOf(status), Treatment.valueOf(word.toUpperCase(Locale.ROOT))));
    }
    return new StatusPolicy(byStatus);
  }

  private static Map<String, String> headers(JsonFields json) {
    Map<String, String> headers = json.texts("headers");
    return json.checked(
        "headers",
        HEADERS_LIMIT,
        () -> {
          HeaderRules.require("headers", headers);
          return headers;
        });
  }

  static void write(JsonWriter json, SubscriberView view, long nowMs) {
    Subscriber subscriber = view.subscriber();
    Quota quota = view.quota();
    json.text("id", subscriber.id())
        .text("endpoint", subscriber.endpoint().toString())
        .text("method", subscriber.method())
        .text("rate", quota.rate().toString())
        .number("burst", quota.burst())
        .text("quota", subscriber.sharesQuota() ? subscriber.quotaId() : null)
        .number("maxInFlight", subscriber.maxInFlight())
        .text("timeout", Durations.format(subscriber.timeout()))
        .child("retry", retry -> write(retry, subscriber.retry()))
        .child("statusPolicy", policy -> write(policy, subscriber.statusPolicy()))
        .text("onAmbiguous", word(subscriber.onAmbiguous()))
        .text("objective", Durations.format(subscriber.objective()))
        .texts("headers", new TreeMap<>(subscriber.headers()))
        .flag("stampAttempts", subscriber.stampAttempts())
        .text("state", word(view.state()))
        .text("reason", view.reason())
        .number("version", view.version());
    writeCounts(json, view.counts(), nowMs);
  }

  private static void writeCounts(JsonWriter json, Counts counts, long nowMs) {
    json.child(
            "counts",
            child ->
                child
                    .number("ready", counts.ready())
                    .number("delayed", counts.delayed())
                    .number("inFlight", counts.inFlight())
                    .number("pending", counts.pending())
                    .number("dead", counts.dead())
                    .number("reconciling", counts.reconciling())
                    .number("accepted", counts.accepted())
                    .number("delivered", counts.delivered())
                    .number("cancelled", counts.cancelled())
                    .number("purged", counts.purged()))
        .maybeInstant("gateOpensAt", opensAt(counts.gateInMs(), nowMs));
    if (counts.oldestReadyMs() < 0) {
      json.nothing("oldestReadySeconds");
    } else {
      json.number("oldestReadySeconds", counts.oldestReadyMs() / 1_000);
    }
  }

  static void write(JsonWriter json, QuotaView view, long nowMs) {
    json.text("id", view.quota().id())
        .text("rate", view.quota().rate().toString())
        .number("burst", view.quota().burst())
        .maybeInstant("gateOpensAt", opensAt(view.gateInMs(), nowMs))
        .texts("subscribers", view.holders());
  }

  private static long opensAt(long gateInMs, long nowMs) {
    return gateInMs <= 0 ? -1 : nowMs + gateInMs;
  }

  private static void write(JsonWriter json, RetryPolicy retry) {
    json.text("base", Durations.format(retry.base()))
        .real("factor", retry.factor())
        .text("cap", Durations.format(retry.cap()))
        .text("floor", Durations.format(retry.floor()))
        .number("maxFailures", retry.maxFailures());
  }

  private static void write(JsonWriter json, StatusPolicy policy) {
    new TreeMap<>(policy.byStatus())
        .forEach((status, treatment) -> json.text(status.toString(), word(treatment)));
  }

  static String word(Enum<?> constant) {
    return constant.name().toLowerCase(Locale.ROOT);
  }
}
