package dev.weir.api;

import dev.weir.api.http.JsonFields;
import dev.weir.api.http.Problem;
import dev.weir.api.http.Problem.Kind;
import dev.weir.domain.message.Envelope;
import dev.weir.domain.message.HeaderRules;
import dev.weir.domain.message.MessageId;
import dev.weir.domain.message.Path;
import dev.weir.protocol.store.PublishStore.Publication;
import io.vertx.core.buffer.Buffer;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * What a producer asked for, whichever form it came in, and checked.
 *
 * @param id null when the node is to make one
 * @param deliverAtMs {@link Envelope#NONE} for at once
 */
record PublishRequest(
    List<String> targets,
    @Nullable String id,
    @Nullable Long version,
    Envelope envelope,
    Buffer body,
    long deliverAtMs,
    long delayMs) {

  static final int MAX_TARGETS = 10_000;
  static final long MAX_DELAY_SECONDS = 604_800;
  static final Duration HORIZON = Duration.ofDays(366);

  private static final int MAX_TYPE_CHARS = 256;

  private static final Pattern MEDIA_TYPE =
      Pattern.compile("[\\w!#$%&'*+.^`|~-]+/[\\w!#$%&'*+.^`|~-]+([ \\t]*;.*)?");

  PublishRequest {
    targets = List.copyOf(targets);
    requireTargets(targets);
    if (id != null) {
      Ids.requireSegment("id", Ids.message("id", id));
    } else if (version != null) {
      throw Problem.invalid(
              "version", "only together with id", "version is given without id; give both")
          .refused();
    }
    requireEnvelope(envelope);
    if (body.length() > Envelope.MAX_BODY_BYTES) {
      throw Problem.of(
              Kind.TOO_LARGE,
              "body is " + body.length() + " bytes; the limit is " + Envelope.MAX_BODY_BYTES)
          .about("body")
          .limitedTo(Envelope.MAX_BODY_BYTES + " bytes")
          .refused();
    }
    if (deliverAtMs != Envelope.NONE
        && envelope.deliverByMs() != Envelope.NONE
        && envelope.deliverByMs() < deliverAtMs) {
      throw Problem.invalid("deliverBy", "not before deliverAt", "deliverBy is before deliverAt")
          .refused();
    }
  }

  private static void requireTargets(List<String> targets) {
    String limit = "1 to " + MAX_TARGETS + " subscribers, each once";
    if (targets.isEmpty() || targets.size() > MAX_TARGETS) {
      throw Problem.invalid("to", limit, "to must name " + limit + "; it names " + targets.size())
          .refused();
    }
    Set<String> seen = new HashSet<>();
    for (String target : targets) {
      Ids.subscriber("to", target);
      if (!seen.add(target)) {
        throw Problem.invalid("to", limit, "to names '" + target + "' twice").refused();
      }
    }
  }

  private static void requireEnvelope(Envelope envelope) {
    String type = envelope.type();
    if (type != null) {
      requireVisible("type", type, MAX_TYPE_CHARS);
    }
    String contentType = envelope.contentType();
    if (contentType != null) {
      requireVisible("contentType", contentType, MAX_TYPE_CHARS);
      if (!MEDIA_TYPE.matcher(contentType).matches()) {
        throw Problem.invalid(
                "contentType", "type/subtype", "contentType must look like application/json")
            .refused();
      }
    }
    String path = envelope.path();
    if (path != null) {
      check("path", "/… within the endpoint, at most 2048 characters", () -> Path.require(path));
    }
    requireHeaders(envelope.headers());
  }

  private static void requireVisible(String field, String value, int maxChars) {
    String limit = "1 to " + maxChars + " characters of visible ASCII";
    if (value.isEmpty() || value.length() > maxChars) {
      throw Problem.invalid(field, limit, field + " must be " + limit).refused();
    }
    check(field, limit, () -> HeaderRules.requireValue(field, value));
  }

  private static void requireHeaders(Map<String, String> headers) {
    for (String name : headers.keySet()) {
      if (name.equalsIgnoreCase("content-type")) {
        throw Problem.invalid(
                "headers",
                "not Content-Type",
                "headers must not set Content-Type; give contentType (or, in the raw form, the"
                    + " request's own Content-Type)")
            .refused();
      }
    }
    check(
        "headers",
        "RFC 9110 names and visible ASCII, " + Envelope.MAX_HEADER_BYTES + " bytes together",
        () -> HeaderRules.require("headers", headers));
  }

  private static void check(String field, String limit, Runnable rule) {
    JsonFields.checkedField(
        field,
        limit,
        () -> {
          rule.run();
          return field;
        });
  }

  Publication publication(MessageId message) {
    return new Publication(message, envelope, body, targets, deliverAtMs, delayMs);
  }

  /** SHA-256 over everything that makes the request what it is, each part with its length. */
  String hash() {
    Digest digest = new Digest();
    digest.add("weir-publish-1");
    digest.add(targets.size());
    targets.forEach(digest::add);
    digest.add(id);
    digest.add(version == null ? Envelope.NONE : version);
    digest.add(envelope.type());
    digest.add(envelope.contentType());
    digest.add(envelope.headers().size());
    new TreeMap<>(envelope.headers())
        .forEach(
            (name, value) -> {
              digest.add(name);
              digest.add(value);
            });
    digest.add(envelope.path());
    digest.add(envelope.deliverByMs());
    digest.add(deliverAtMs);
    digest.add(delayMs);
    digest.add(body.getBytes());
    return digest.hex();
  }

  private static final class Digest {
    private final MessageDigest sha;

    private Digest() {
      try {
        sha = MessageDigest.getInstance("SHA-256");
      } catch (NoSuchAlgorithmException e) {
        throw new IllegalStateException("every Java platform has SHA-256", e);
      }
    }

    private void add(@Nullable String part) {
      if (part == null) {
        add(-1);
      } else {
        add(part.getBytes(StandardCharsets.UTF_8));
      }
    }

    private void add(byte[] part) {
      add(part.length);
      sha.update(part);
    }

    private void add(long number) {
      sha.update(ByteBuffer.allocate(Long.BYTES).putLong(number).array());
    }

    private String hex() {
      return HexFormat.of().formatHex(sha.digest());
    }
  }
}
