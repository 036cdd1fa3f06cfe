package dev.weir.api;

import dev.weir.api.http.Call;
import dev.weir.api.http.Operation;
import dev.weir.api.http.Problem;
import dev.weir.api.http.Problem.Kind;
import dev.weir.api.http.Reply;
import dev.weir.domain.message.DeliveryId;
import dev.weir.domain.message.MessageId;
import dev.weir.protocol.bus.Wakes;
import dev.weir.protocol.store.PublishStore;
import dev.weir.protocol.store.PublishStore.Binding;
import dev.weir.protocol.store.PublishStore.Published;
import io.vertx.core.Future;
import io.vertx.core.MultiMap;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/** {@code /v1/queue/publish}, the one way in. */
final class PublishRoutes {

  private static final String IDEMPOTENCY_KEY = "Idempotency-Key";
  private static final int MAX_KEY_BYTES = 255;

  /** Names in a sentence; the list beside it has more. */
  private static final int NAMED = 5;

  private final PublishStore publishes;
  private final Wakes wakes;
  private final ApiEvents events;
  private final InstantSource clock;
  private final MessageIds ids;

  PublishRoutes(ApiPorts ports) {
    this.publishes = ports.store().publishes();
    this.wakes = ports.wakes();
    this.events = ports.events();
    this.clock = ports.clock();
    this.ids = new MessageIds(clock);
  }

  void addTo(Map<String, Operation> operations) {
    operations.put("publish", this::publish);
  }

  private Future<Reply> publish(Call call) {
    Optional<String> key = idempotencyKey(call.headers());
    PublishRequest request =
        call.headers().contains(PublishHeaders.TO)
            ? PublishHeaders.read(call.headers(), call.body(), clock.millis())
            : PublishJson.read(call.headers(), call.json(), clock.millis());
    MessageId message =
        new MessageId(Objects.requireNonNullElseGet(request.id(), ids::next), request.version());
    return key.isPresent() ? publishOnce(key.get(), request, message) : publish(request, message);
  }

  private static Optional<String> idempotencyKey(MultiMap headers) {
    List<String> keys = headers.getAll(IDEMPOTENCY_KEY);
    if (keys.isEmpty()) {
      return Optional.empty();
    }
    String key = keys.get(0);
    boolean visible = key.chars().allMatch(c -> c >= ' ' && c <= '~');
    if (keys.size() > 1 || key.isEmpty() || key.length() > MAX_KEY_BYTES || !visible) {
      String limit = "1 to " + MAX_KEY_BYTES + " characters of visible ASCII, once";
      throw Problem.invalid(IDEMPOTENCY_KEY, limit, IDEMPOTENCY_KEY + " must be " + limit)
          .refused();
    }
    return Optional.of(key);
  }

  /**
   * Binds the key to the request and the message id, publishes, then notes that it was answered. A
   * crash in between leaves the key bound: the repeat publishes under the same id, which is
   * harmless.
   */
  private Future<Reply> publishOnce(String key, PublishRequest request, MessageId proposed) {
    String hash = request.hash();
    return publishes
        .bind(key, hash, proposed)
        .compose(binding -> afterBinding(binding, key, hash, request));
  }

  private Future<Reply> afterBinding(
      Binding binding, String key, String hash, PublishRequest request) {
    if (binding instanceof Binding.Answered answered) {
      return Future.succeededFuture(repeat(request, answered.message()));
    }
    if (binding instanceof Binding.Bound bound) {
      return publish(request, bound.message()).compose(reply -> note(key, hash, reply));
    }
    return Future.succeededFuture(
        Problem.of(
                Kind.IDEMPOTENCY_KEY_REUSED,
                "this Idempotency-Key came with another request in the last 8 days; use a new key"
                    + " for a new request")
            .about(IDEMPOTENCY_KEY)
            .reply());
  }

  /** The message is durable: that this note fails only makes a repeat do more than it must. */
  private Future<Reply> note(String key, String hash, Reply reply) {
    return reply.status() == 202
        ? publishes.answered(key, hash).transform(noted -> Future.succeededFuture(reply))
        : Future.succeededFuture(reply);
  }

  private Reply repeat(PublishRequest request, MessageId message) {
    events.idempotencyHit();
    List<DeliveryId> deliveries =
        request.targets().stream().map(target -> new DeliveryId(message, target)).toList();
    return accepted(message, deliveries).with("Idempotent-Replayed", "true");
  }

  private Future<Reply> publish(PublishRequest request, MessageId message) {
    return publishes
        .publish(request.publication(message))
        .map(published -> reply(message, published));
  }

  private Reply reply(MessageId message, Published published) {
    if (published instanceof Published.Accepted accepted) {
      if (!accepted.created().isEmpty()) {
        wakes.due(accepted.created());
      }
      return accepted(message, accepted.accepted());
    }
    if (published instanceof Published.UnknownSubscribers unknown) {
      return Problem.of(
              Kind.NOT_FOUND,
              "unknown subscribers: " + some(unknown.subscribers()) + "; nothing was stored")
          .about("to")
          .naming(unknown.subscribers())
          .reply();
    }
    Published.Conflict conflict = (Published.Conflict) published;
    String version = message.version() == null ? "" : " version " + message.version();
    return Problem.of(
            Kind.CONFLICT,
            "'"
                + message.id()
                + "'"
                + version
                + " was published with another body to "
                + some(conflict.subscribers())
                + "; use another version")
        .about("body")
        .naming(conflict.subscribers())
        .reply();
  }

  private static Reply accepted(MessageId message, List<DeliveryId> deliveries) {
    return Reply.json(202, json -> DeliveryJson.writePublished(json, message, deliveries));
  }

  private static String some(List<String> names) {
    String first = "'" + String.join("', '", names.subList(0, Math.min(NAMED, names.size()))) + "'";
    return names.size() > NAMED ? first + " and " + (names.size() - NAMED) + " more" : first;
  }
}
