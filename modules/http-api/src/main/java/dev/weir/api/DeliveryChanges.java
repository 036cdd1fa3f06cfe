package dev.weir.api;

import dev.weir.api.http.Problem;
import dev.weir.api.http.Problem.Kind;
import dev.weir.api.http.Refused;
import dev.weir.api.http.Reply;
import dev.weir.domain.message.DeliveryId;
import dev.weir.protocol.bus.Wakes;
import dev.weir.protocol.store.InspectionStore;
import dev.weir.protocol.store.InspectionStore.Change;
import dev.weir.protocol.store.InspectionStore.DeliveryView;
import dev.weir.protocol.store.InspectionStore.State;
import io.vertx.core.Future;
import java.util.List;
import java.util.function.Function;

/** What a person may do to one delivery, and how it is answered. */
final class DeliveryChanges {

  private final InspectionStore inspection;
  private final Wakes wakes;

  DeliveryChanges(InspectionStore inspection, Wakes wakes) {
    this.inspection = inspection;
    this.wakes = wakes;
  }

  Future<DeliveryView> view(DeliveryId id) {
    return inspection.delivery(id).map(found -> found.orElseThrow(() -> unknown(id)));
  }

  /**
   * Fails unless the delivery is in {@code expected}. A look beforehand: the store's own change is
   * what decides, but it takes more states than one list shows.
   */
  Future<Void> require(DeliveryId id, State expected) {
    return view(id)
        .map(
            view -> {
              if (view.delivery().state() != expected) {
                throw wrongState(id, view.delivery().state());
              }
              return null;
            });
  }

  /** Makes a change that is refused for what it finds. */
  Future<Void> change(DeliveryId id, Function<DeliveryId, Future<Change>> how) {
    return how.apply(id)
        .compose(
            change ->
                switch (change) {
                  case CHANGED -> Future.succeededFuture();
                  case UNKNOWN -> Future.failedFuture(unknown(id));
                  case DELIVERED -> Future.failedFuture(wrongState(id, State.DONE));
                  case WRONG_STATE ->
                      view(id)
                          .compose(
                              view -> Future.failedFuture(wrongState(id, view.delivery().state())));
                });
  }

  Future<Void> redrive(DeliveryId id) {
    return change(id, inspection::redrive).onSuccess(ready -> wake(id));
  }

  Future<Void> cancel(DeliveryId id) {
    return change(id, inspection::cancel);
  }

  void wake(DeliveryId id) {
    wakes.due(List.of(id.subscriber()));
  }

  /** Its state as it now is. */
  Future<Reply> state(DeliveryId id) {
    return view(id).map(view -> Reply.json(200, json -> DeliveryJson.write(json, view.delivery())));
  }

  private static Refused unknown(DeliveryId id) {
    return Problem.of(Kind.NOT_FOUND, "there is no delivery " + id.key()).refused();
  }

  private static Refused wrongState(DeliveryId id, State state) {
    String more =
        state == State.DONE
            ? "; delivered is final"
            : state == State.ATTEMPTING
                ? "; an attempt is under way, repeat this when it has ended"
                : ", which does not allow this";
    return Problem.of(Kind.CONFLICT, id.key() + " is " + SubscriberJson.word(state) + more)
        .refused();
  }
}
