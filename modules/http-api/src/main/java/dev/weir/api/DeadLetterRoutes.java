package dev.weir.api;

import dev.weir.api.http.Call;
import dev.weir.api.http.JsonFields;
import dev.weir.api.http.Operation;
import dev.weir.api.http.Problem;
import dev.weir.api.http.Reply;
import dev.weir.domain.message.DeliveryId;
import dev.weir.protocol.bus.Wakes;
import dev.weir.protocol.store.ConfigStore;
import dev.weir.protocol.store.InspectionStore;
import dev.weir.protocol.store.InspectionStore.Change;
import dev.weir.protocol.store.InspectionStore.State;
import dev.weir.protocol.store.InspectionStore.Stopped;
import dev.weir.protocol.store.StoreException;
import io.vertx.core.Future;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** {@code /v1/dead-letters}. */
final class DeadLetterRoutes {

  private final ConfigStore config;
  private final InspectionStore inspection;
  private final Wakes wakes;
  private final DeliveryChanges changes;

  DeadLetterRoutes(ApiPorts ports, DeliveryChanges changes) {
    this.config = ports.store().config();
    this.inspection = ports.store().inspection();
    this.wakes = ports.wakes();
    this.changes = changes;
  }

  void addTo(Map<String, Operation> operations) {
    operations.put("listDeadLetters", this::list);
    operations.put("redriveDeadLetters", this::redrive);
  }

  private Future<Reply> list(Call call) {
    return inspection
        .deadLetters(subscriber(call), Pages.after(call).orElse(null), Pages.limit(call))
        .map(page -> Pages.reply(page, DeliveryJson::writeDeadLetter));
  }

  static @Nullable String subscriber(Call call) {
    return call.query("subscriber").map(id -> Ids.subscriber("subscriber", id)).orElse(null);
  }

  private Future<Reply> redrive(Call call) {
    JsonFields json = call.json();
    return json.has("message") ? redriveOne(json) : redriveAll(json);
  }

  private Future<Reply> redriveOne(JsonFields json) {
    DeliveryId id = Ids.delivery(json);
    json.refuseUnknown();
    return changes
        .require(id, State.DEAD)
        .compose(dead -> changes.redrive(id))
        .map(done -> reply(1));
  }

  private Future<Reply> redriveAll(JsonFields json) {
    String subscriber = Ids.subscriber("subscriber", json.requiredText("subscriber"));
    if (json.has("version")) {
      throw Problem.invalid(
              "version", "only together with message", "version is given without message")
          .refused();
    }
    json.refuseUnknown();
    return config
        .subscriber(subscriber)
        .compose(
            found -> {
              long dead =
                  found.orElseThrow(() -> SubscriberRoutes.unknown(subscriber)).counts().dead();
              return new Sweep(subscriber, dead).next(null);
            })
        .map(DeadLetterRoutes::reply);
  }

  private static Reply reply(long redriven) {
    return Reply.json(200, json -> json.number("redriven", redriven));
  }

  /**
   * Page after page, but no more than there were at the start: what dies again meanwhile joins the
   * end of the line, and would be redriven for ever.
   */
  private final class Sweep {

    private final String subscriber;
    private long left;
    private long redriven;

    private Sweep(String subscriber, long dead) {
      this.subscriber = subscriber;
      this.left = dead;
    }

    private Future<Long> next(@Nullable String after) {
      if (left <= 0) {
        return Future.succeededFuture(redriven);
      }
      return inspection
          .deadLetters(subscriber, after, (int) Math.min(left, Pages.MAX))
          .compose(
              page ->
                  redrive(page.items())
                      .compose(
                          done ->
                              page.next() == null
                                  ? Future.succeededFuture(redriven)
                                  : next(page.next())))
          .recover(this::sayHowFar);
    }

    private Future<Void> redrive(List<Stopped> letters) {
      left -= letters.size();
      List<Future<Change>> all =
          letters.stream().map(letter -> inspection.redrive(letter.id())).toList();
      return Future.join(all)
          .transform(
              joined -> {
                long changed =
                    all.stream()
                        .filter(one -> one.succeeded() && one.result() == Change.CHANGED)
                        .count();
                redriven += changed;
                if (changed > 0) {
                  wakes.due(List.of(subscriber));
                }
                return joined.succeeded()
                    ? Future.succeededFuture()
                    : Future.failedFuture(joined.cause());
              });
    }

    private Future<Long> sayHowFar(Throwable failure) {
      if (!(failure instanceof StoreException)) {
        return Future.failedFuture(failure);
      }
      Problem problem = Problem.of(failure);
      return Future.failedFuture(
          Problem.of(
                  problem.kind(),
                  problem.detail() + ". " + redriven + " were redriven before; repeat to go on")
              .refused());
    }
  }
}
