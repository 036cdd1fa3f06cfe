package dev.weir.api;

import dev.weir.api.http.Call;
import dev.weir.api.http.JsonFields;
import dev.weir.api.http.Operation;
import dev.weir.api.http.Problem;
import dev.weir.api.http.Reply;
import dev.weir.domain.message.DeliveryId;
import dev.weir.protocol.store.InspectionStore;
import dev.weir.protocol.store.InspectionStore.State;
import io.vertx.core.Future;
import java.time.InstantSource;
import java.util.Map;
import java.util.function.Function;

/** {@code /v1/reconciliation}. */
final class ReconciliationRoutes {

  private final InspectionStore inspection;
  private final InstantSource clock;
  private final DeliveryChanges changes;

  ReconciliationRoutes(ApiPorts ports, DeliveryChanges changes) {
    this.inspection = ports.store().inspection();
    this.clock = ports.clock();
    this.changes = changes;
  }

  void addTo(Map<String, Operation> operations) {
    operations.put("listReconciliation", this::list);
    operations.put("rescheduleReconciliation", this::reschedule);
    operations.put("redriveReconciliation", call -> change(call, changes::redrive));
    operations.put("cancelReconciliation", call -> change(call, changes::cancel));
  }

  private Future<Reply> list(Call call) {
    return inspection
        .reconciliation(
            DeadLetterRoutes.subscriber(call), Pages.after(call).orElse(null), Pages.limit(call))
        .map(page -> Pages.reply(page, DeliveryJson::writeReconciling));
  }

  private Future<Reply> change(Call call, Function<DeliveryId, Future<Void>> how) {
    JsonFields json = call.json();
    DeliveryId id = Ids.delivery(json);
    json.refuseUnknown();
    return reconciling(id, how);
  }

  private Future<Reply> reschedule(Call call) {
    JsonFields json = call.json();
    DeliveryId id = Ids.delivery(json);
    long nowMs = clock.millis();
    long atMs = at(json, nowMs + PublishRequest.HORIZON.toMillis());
    json.refuseUnknown();
    return reconciling(
        id,
        reconciling ->
            changes
                .change(reconciling, that -> inspection.reschedule(that, atMs))
                .onSuccess(
                    done -> {
                      if (atMs <= nowMs) {
                        changes.wake(id);
                      }
                    }));
  }

  private static long at(JsonFields json, long latestMs) {
    return json.instant("at", latestMs)
        .orElseThrow(() -> Problem.invalid("at", "required", "'at' is missing").refused());
  }

  private Future<Reply> reconciling(DeliveryId id, Function<DeliveryId, Future<Void>> how) {
    return changes
        .require(id, State.RECONCILING)
        .compose(found -> how.apply(id))
        .compose(done -> changes.state(id));
  }
}
