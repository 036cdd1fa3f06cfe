package dev.weir.api;

import dev.weir.api.http.Call;
import dev.weir.api.http.Operation;
import dev.weir.api.http.Problem;
import dev.weir.api.http.Problem.Kind;
import dev.weir.api.http.Reply;
import dev.weir.domain.message.DeliveryId;
import dev.weir.domain.message.MessageId;
import dev.weir.protocol.store.InspectionStore;
import io.vertx.core.Future;
import java.util.Map;

/** {@code /v1/messages} and {@code /v1/deliveries}. */
final class DeliveryRoutes {

  private final InspectionStore inspection;
  private final DeliveryChanges changes;

  DeliveryRoutes(InspectionStore inspection, DeliveryChanges changes) {
    this.inspection = inspection;
    this.changes = changes;
  }

  void addTo(Map<String, Operation> operations) {
    operations.put("getMessage", this::message);
    operations.put("getDelivery", this::delivery);
    operations.put("cancelDelivery", this::cancel);
  }

  private Future<Reply> message(Call call) {
    MessageId message = Ids.message(call, "id");
    return inspection
        .message(message)
        .map(
            deliveries -> {
              if (deliveries.isEmpty()) {
                throw Problem.of(Kind.NOT_FOUND, "there is no message " + message.key()).refused();
              }
              return Reply.json(200, json -> DeliveryJson.writeMessage(json, message, deliveries));
            });
  }

  private Future<Reply> delivery(Call call) {
    return changes
        .view(Ids.delivery(call))
        .map(view -> Reply.json(200, json -> DeliveryJson.write(json, view)));
  }

  private Future<Reply> cancel(Call call) {
    DeliveryId id = Ids.delivery(call);
    return changes.cancel(id).compose(done -> changes.state(id));
  }
}
