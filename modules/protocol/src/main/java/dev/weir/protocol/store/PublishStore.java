package dev.weir.protocol.store;

import dev.weir.domain.message.DeliveryId;
import dev.weir.domain.message.Envelope;
import dev.weir.domain.message.MessageId;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import java.util.List;

/** Taking messages in, for the API. */
public interface PublishStore {

  /**
   * Binds an idempotency key to a request for 8 days. The first caller's message id is kept;
   * whoever repeats the request publishes under that id, which makes the repeat harmless.
   *
   * @param requestHash of everything that makes the request what it is
   * @param proposed the message id to keep when the key is new
   */
  Future<Binding> bind(String idempotencyKey, String requestHash, MessageId proposed);

  /** Notes that the publish bound to this key was answered, so that a repeat needs no publish. */
  Future<Void> answered(String idempotencyKey, String requestHash);

  /**
   * Stores the message and one delivery per target. Completes once the message and the intent to
   * deliver it to every target are durable and all deliveries exist. Targets that have this
   * delivery already (or had, within the ledger's life) are left as they are.
   */
  Future<Published> publish(Publication publication);

  /**
   * Publishes of several targets that were begun at least {@code olderThanMs} ago and not finished.
   */
  Future<List<OpenIntent>> openIntents(int partition, long olderThanMs, int limit);

  /** Goes on with a publish from where it stopped; completes when all its deliveries exist. */
  Future<Published> resume(OpenIntent intent);

  /**
   * @param targets subscriber ids, distinct, 1 or more
   * @param deliverAtMs epoch ms before which nothing is sent; {@link Envelope#NONE} for at once
   * @param delayMs from now, by the store's clock; 0 for none; not together with deliverAtMs
   */
  record Publication(
      MessageId message,
      Envelope envelope,
      Buffer body,
      List<String> targets,
      long deliverAtMs,
      long delayMs) {}

  /** What became of a publish. */
  sealed interface Published {

    /**
     * @param accepted deliveries that now exist, new or not, in the order of the targets
     * @param created subscribers for which this call made a new delivery that is due now; worth a
     *     wake-up
     */
    record Accepted(List<DeliveryId> accepted, List<String> created) implements Published {}

    /** These targets are unknown; nothing was stored. */
    record UnknownSubscribers(List<String> subscribers) implements Published {}

    /** These targets have a delivery of the same id and version with another body. */
    record Conflict(List<String> subscribers) implements Published {}
  }

  /** What became of binding an idempotency key. */
  sealed interface Binding {

    /** The key was new, or belongs to this very request: publish under {@code message}. */
    record Bound(MessageId message) implements Binding {}

    /** This very request was answered before, with {@code message}: give the same answer. */
    record Answered(MessageId message) implements Binding {}

    /** The key belongs to another request. */
    record OtherRequest() implements Binding {}
  }

  /**
   * @param intent names it within its partition
   */
  record OpenIntent(int partition, String intent) {}
}
