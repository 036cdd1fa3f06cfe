package dev.weir.domain.message;

/**
 * Names a delivery: one message for one subscriber. Everything durable is keyed by the whole of it.
 */
public record DeliveryId(MessageId message, String subscriber) {

  public static final int MAX_SUBSCRIBER_BYTES = 128;

  public DeliveryId {
    Escaping.requireId("subscriber", subscriber, MAX_SUBSCRIBER_BYTES);
  }

  /**
   * {@code id:subscriber[:version]}, each part escaped: the idempotency key that every attempt of
   * this delivery carries, for instance {@code shp_2048:store_17:3}.
   */
  public String key() {
    String base = Escaping.escape(message.id()) + ":" + Escaping.escape(subscriber);
    return message.version() == null ? base : base + ":" + message.version();
  }
}
