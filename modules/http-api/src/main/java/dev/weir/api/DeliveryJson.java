package dev.weir.api;

import dev.weir.api.http.JsonWriter;
import dev.weir.domain.message.DeliveryId;
import dev.weir.domain.message.Envelope;
import dev.weir.domain.message.Escaping;
import dev.weir.domain.message.MessageId;
import dev.weir.domain.time.Durations;
import dev.weir.protocol.store.InspectionStore.DeliveryState;
import dev.weir.protocol.store.InspectionStore.DeliveryView;
import dev.weir.protocol.store.InspectionStore.Stopped;
import java.time.Duration;
import java.util.List;

/** Messages and deliveries as JSON. */
final class DeliveryJson {

  private DeliveryJson() {}

  static void writePublished(JsonWriter json, MessageId message, List<DeliveryId> deliveries) {
    writeMessageId(json, "id", message);
    json.objects(
        "deliveries",
        deliveries,
        (item, delivery) ->
            item.text("subscriber", delivery.subscriber())
                .text("key", delivery.key())
                .text("href", href(delivery)));
  }

  static String href(DeliveryId delivery) {
    MessageId message = delivery.message();
    return "/v1/deliveries/"
        + Escaping.escape(message.id())
        + "/"
        + Escaping.escape(delivery.subscriber())
        + (message.version() == null ? "" : "?version=" + message.version());
  }

  static void writeMessage(JsonWriter json, MessageId message, List<DeliveryState> deliveries) {
    writeMessageId(json, "id", message);
    json.objects(
        "deliveries",
        deliveries,
        (item, delivery) -> {
          item.text("subscriber", delivery.id().subscriber());
          writeState(item, delivery);
        });
  }

  static void write(JsonWriter json, DeliveryState delivery) {
    writeNames(json, delivery.id());
    writeState(json, delivery);
  }

  private static void writeState(JsonWriter json, DeliveryState delivery) {
    json.text("key", delivery.id().key())
        .text("state", SubscriberJson.word(delivery.state()))
        .number("attempts", delivery.attempts())
        .instant("since", delivery.sinceMs());
  }

  static void write(JsonWriter json, DeliveryView view) {
    DeliveryState delivery = view.delivery();
    Envelope envelope = view.envelope();
    writeNames(json, delivery.id());
    json.text("key", delivery.id().key())
        .text("state", SubscriberJson.word(delivery.state()))
        .instant("since", delivery.sinceMs())
        .maybeInstant("nextAttemptAt", view.nextAtMs())
        .text("reason", view.reason());
    writeAskedDelay(json, view.askedDelayMs());
    json.number("redrives", view.redrives())
        .maybeInstant("deliverBy", envelope == null ? Envelope.NONE : envelope.deliverByMs())
        .text("type", envelope == null ? null : envelope.type())
        .number("omittedAttempts", view.omitted())
        .ready("attempts", view.attempts());
  }

  static void writeDeadLetter(JsonWriter json, Stopped stopped) {
    writeNames(json, stopped.id());
    json.text("key", stopped.id().key())
        .number("attempts", stopped.attempts())
        .text("reason", stopped.reason())
        .instant("since", stopped.sinceMs())
        .number("redrives", stopped.redrives());
  }

  static void writeReconciling(JsonWriter json, Stopped stopped) {
    writeDeadLetter(json, stopped);
    writeAskedDelay(json, stopped.askedDelayMs());
  }

  private static void writeAskedDelay(JsonWriter json, long askedDelayMs) {
    json.text(
        "askedDelay", askedDelayMs < 0 ? null : Durations.format(Duration.ofMillis(askedDelayMs)));
  }

  private static void writeNames(JsonWriter json, DeliveryId id) {
    writeMessageId(json, "message", id.message());
    json.text("subscriber", id.subscriber());
  }

  private static void writeMessageId(JsonWriter json, String name, MessageId message) {
    json.text(name, message.id());
    if (message.version() != null) {
      json.number("version", message.version());
    }
  }
}
