package dev.weir.api;

import dev.weir.api.http.JsonFields;
import dev.weir.api.http.PercentText;
import dev.weir.api.http.Problem;
import dev.weir.domain.message.Envelope;
import io.vertx.core.MultiMap;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpHeaders;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

/** The raw form of a publish: the body is the message's, the rest stands in headers. */
final class PublishHeaders {

  static final String TO = "Weir-To";

  private static final String ID = "Weir-Id";
  private static final String VERSION = "Weir-Version";
  private static final String TYPE = "Weir-Type";
  private static final String PATH = "Weir-Path";
  private static final String DELAY_SECONDS = "Weir-Delay-Seconds";
  private static final String DELIVER_AT = "Weir-Deliver-At";
  private static final String DELIVER_BY = "Weir-Deliver-By";

  private static final String OWN = "weir-";
  private static final String MESSAGE_HEADER = "weir-header-";

  private static final Set<String> KNOWN =
      Set.of(TO, ID, VERSION, TYPE, PATH, DELAY_SECONDS, DELIVER_AT, DELIVER_BY);

  private static final Pattern DELAY = Pattern.compile("0|[1-9]\\d{0,5}");

  private final MultiMap headers;

  private PublishHeaders(MultiMap headers) {
    this.headers = headers;
  }

  static PublishRequest read(MultiMap headers, Buffer body, long nowMs) {
    return new PublishHeaders(headers).read(body, nowMs);
  }

  private PublishRequest read(Buffer body, long nowMs) {
    refuseUnknown();
    long latestMs = nowMs + PublishRequest.HORIZON.toMillis();
    Optional<Long> delaySeconds = once(DELAY_SECONDS).map(PublishHeaders::delaySeconds);
    long deliverAtMs = instant(DELIVER_AT, latestMs);
    if (delaySeconds.isPresent() && deliverAtMs != Envelope.NONE) {
      throw PublishJson.bothDelays(DELAY_SECONDS, DELIVER_AT);
    }
    return new PublishRequest(
        targets(),
        once(ID).map(text -> PercentText.decode(ID, text)).orElse(null),
        once(VERSION).map(text -> Ids.version(VERSION, text)).orElse(null),
        new Envelope(
            once(TYPE).orElse(null),
            once(HttpHeaders.CONTENT_TYPE.toString()).orElse(null),
            messageHeaders(),
            once(PATH).orElse(null),
            instant(DELIVER_BY, latestMs)),
        body,
        deliverAtMs,
        delaySeconds.orElse(0L) * 1_000);
  }

  private void refuseUnknown() {
    for (String name : headers.names()) {
      String lower = name.toLowerCase(Locale.ROOT);
      boolean known =
          !lower.startsWith(OWN)
              || lower.startsWith(MESSAGE_HEADER)
              || KNOWN.stream().anyMatch(name::equalsIgnoreCase);
      if (!known) {
        String allowed = String.join(", ", new java.util.TreeSet<>(KNOWN)) + ", Weir-Header-…";
        throw Problem.invalid(
                name, allowed, "unknown header '" + name + "'; known here: " + allowed)
            .refused();
      }
    }
  }

  private List<String> targets() {
    List<String> targets = new ArrayList<>();
    for (String line : headers.getAll(TO)) {
      for (String target : line.split(",", -1)) {
        targets.add(PercentText.decode(TO, target.trim()));
      }
    }
    return targets;
  }

  private Map<String, String> messageHeaders() {
    Map<String, String> found = new LinkedHashMap<>();
    for (Map.Entry<String, String> header : headers) {
      if (header.getKey().toLowerCase(Locale.ROOT).startsWith(MESSAGE_HEADER)) {
        String name = header.getKey().substring(MESSAGE_HEADER.length());
        if (found.put(name, header.getValue()) != null) {
          throw twice(header.getKey());
        }
      }
    }
    return found;
  }

  private long instant(String name, long latestMs) {
    return once(name).map(text -> JsonFields.instant(name, text, latestMs)).orElse(Envelope.NONE);
  }

  private static long delaySeconds(String text) {
    if (DELAY.matcher(text).matches() && Long.parseLong(text) <= PublishRequest.MAX_DELAY_SECONDS) {
      return Long.parseLong(text);
    }
    String limit = "0 to " + PublishRequest.MAX_DELAY_SECONDS;
    throw Problem.invalid(DELAY_SECONDS, limit, DELAY_SECONDS + " must be a whole number, " + limit)
        .refused();
  }

  private Optional<String> once(String name) {
    List<String> values = headers.getAll(name);
    if (values.size() > 1) {
      throw twice(name);
    }
    return values.stream().findFirst();
  }

  private static RuntimeException twice(String name) {
    return Problem.invalid(name, "once", "the header " + name + " is given twice").refused();
  }
}
