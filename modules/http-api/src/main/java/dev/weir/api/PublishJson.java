package dev.weir.api;

import dev.weir.api.http.JsonFields;
import dev.weir.api.http.Problem;
import dev.weir.api.http.Refused;
import dev.weir.domain.message.Envelope;
import io.vertx.core.MultiMap;
import io.vertx.core.buffer.Buffer;
import java.util.Base64;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** The JSON form of a publish. */
final class PublishJson {

  private PublishJson() {}

  static PublishRequest read(MultiMap headers, JsonFields json, long nowMs) {
    refuseRawHeaders(headers);
    long latestMs = nowMs + PublishRequest.HORIZON.toMillis();
    List<String> targets = json.textOrTexts("to");
    boolean isJson = json.has("body");
    Buffer body = body(json);
    long deliverAtMs = json.instant("deliverAt", latestMs).orElse(Envelope.NONE);
    Optional<Long> delaySeconds = json.integer("delaySeconds", 0, PublishRequest.MAX_DELAY_SECONDS);
    if (delaySeconds.isPresent() && deliverAtMs != Envelope.NONE) {
      throw bothDelays("delaySeconds", "deliverAt");
    }
    String contentType = json.text("contentType").orElse(isJson ? "application/json" : null);
    PublishRequest request =
        new PublishRequest(
            targets,
            json.text("id").orElse(null),
            Ids.version(json),
            new Envelope(
                json.text("type").orElse(null),
                contentType,
                json.texts("headers"),
                json.text("path").orElse(null),
                json.instant("deliverBy", latestMs).orElse(Envelope.NONE)),
            body,
            deliverAtMs,
            delaySeconds.orElse(0L) * 1_000);
    json.refuseUnknown();
    return request;
  }

  /** Both forms at once would leave half of what was asked for undone. */
  private static void refuseRawHeaders(MultiMap headers) {
    for (String name : headers.names()) {
      if (name.toLowerCase(Locale.ROOT).startsWith("weir-")) {
        throw Problem.invalid(
                name,
                "only together with Weir-To",
                name
                    + " belongs to the raw form, which needs Weir-To; in the JSON form it is a"
                    + " field of the body")
            .refused();
      }
    }
  }

  private static Buffer body(JsonFields json) {
    Optional<Buffer> body = json.bytes("body");
    Optional<String> base64 = json.text("bodyBase64");
    if (body.isPresent() == base64.isPresent()) {
      throw Problem.invalid(
              "body",
              "exactly one of body and bodyBase64",
              body.isPresent()
                  ? "body and bodyBase64 are both given; give one"
                  : "neither body nor bodyBase64 is given; an empty body is \"bodyBase64\": \"\"")
          .refused();
    }
    return body.orElseGet(() -> decode(base64.orElse("")));
  }

  private static Buffer decode(String base64) {
    if (base64.length() % 4 != 0) {
      throw notBase64("its length is no multiple of 4, padding included");
    }
    byte[] bytes;
    try {
      bytes = Base64.getDecoder().decode(base64);
    } catch (IllegalArgumentException e) {
      throw notBase64(String.valueOf(e.getMessage()));
    }
    // The decoder drops bits that the last character has too many: two texts for one body.
    if (!Base64.getEncoder().encodeToString(bytes).equals(base64)) {
      throw notBase64("its last character holds bits that no byte needs");
    }
    return Buffer.buffer(bytes);
  }

  private static Refused notBase64(String why) {
    return Problem.invalid(
            "bodyBase64",
            "RFC 4648 §4 with padding, without line breaks",
            "bodyBase64 is no base64: " + why)
        .refused();
  }

  static Refused bothDelays(String delay, String at) {
    return Problem.invalid(
            delay, "not together with " + at, delay + " and " + at + " are both given; give one")
        .refused();
  }
}
