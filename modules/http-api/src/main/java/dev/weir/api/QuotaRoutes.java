package dev.weir.api;

import dev.weir.api.http.Call;
import dev.weir.api.http.JsonFields;
import dev.weir.api.http.Operation;
import dev.weir.api.http.Problem;
import dev.weir.api.http.Problem.Kind;
import dev.weir.api.http.Refused;
import dev.weir.api.http.Reply;
import dev.weir.domain.quota.Quota;
import dev.weir.protocol.bus.Wakes;
import dev.weir.protocol.store.ConfigStore;
import dev.weir.protocol.store.ConfigStore.PutQuota;
import dev.weir.protocol.store.ConfigStore.QuotaView;
import io.vertx.core.Future;
import java.time.InstantSource;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** {@code /v1/quotas}: those that subscribers share, and everybody's gate. */
final class QuotaRoutes {

  private final ConfigStore config;
  private final Wakes wakes;
  private final InstantSource clock;

  QuotaRoutes(ApiPorts ports) {
    this.config = ports.store().config();
    this.wakes = ports.wakes();
    this.clock = ports.clock();
  }

  void addTo(Map<String, Operation> operations) {
    operations.put("listQuotas", this::list);
    operations.put("putQuota", this::put);
    operations.put("getQuota", this::get);
    operations.put("deleteQuota", this::delete);
    operations.put("openGate", this::openGate);
  }

  private static String id(Call call) {
    return Ids.subscriber("id", call.path("id"));
  }

  private Future<Reply> list(Call call) {
    return config
        .quotas(Pages.after(call).orElse(null), Pages.limit(call))
        .map(
            page ->
                Pages.reply(
                    page, (json, view) -> SubscriberJson.write(json, view, clock.millis())));
  }

  private Future<Reply> put(Call call) {
    JsonFields json = call.json();
    Quota quota = SubscriberJson.quota(Ids.newName("id", call.path("id")), json, null);
    json.refuseUnknown();
    return config.putQuota(quota).compose(outcome -> answer(quota.id(), outcome));
  }

  private Future<Reply> answer(String id, PutQuota outcome) {
    if (outcome == PutQuota.TAKEN_BY_SUBSCRIBER) {
      throw Problem.of(
              Kind.CONFLICT,
              "the subscriber '" + id + "' has a quota of its own under this id; choose another")
          .about("id")
          .refused();
    }
    return view(id)
        .compose(
            view -> wakeHolders(view).map(reply(view, outcome == PutQuota.CREATED ? 201 : 200)));
  }

  private Future<Reply> get(Call call) {
    return view(id(call)).map(view -> reply(view, 200));
  }

  private Reply reply(QuotaView view, int status) {
    return Reply.json(status, json -> SubscriberJson.write(json, view, clock.millis()));
  }

  private Future<QuotaView> view(String id) {
    return config.quota(id).map(found -> found.orElseThrow(() -> unknown(id)));
  }

  private Future<Reply> delete(Call call) {
    String id = id(call);
    return config.deleteQuota(id).map(outcome -> deleted(id, outcome));
  }

  private static Reply deleted(String id, ConfigStore.DeleteQuota outcome) {
    return switch (outcome) {
      case DELETED -> Reply.noContent();
      case UNKNOWN -> throw unknown(id);
      case IN_USE ->
          Problem.of(
                  Kind.CONFLICT,
                  "subscribers still share the quota '" + id + "'; delete them first")
              .reply();
    };
  }

  private Future<Reply> openGate(Call call) {
    String id = id(call);
    return config
        .openGate(id)
        .compose(
            existed -> {
              if (!existed) {
                throw unknown(id);
              }
              return config.quota(id);
            })
        .compose(
            shared -> {
              // Not a shared one: then it is the subscriber's own, under the same id.
              return shared.map(this::wakeHolders).orElseGet(() -> wake(id));
            })
        .map(woken -> Reply.noContent());
  }

  private Future<Void> wake(String subscriber) {
    wakes.changed(subscriber);
    return Future.succeededFuture();
  }

  /**
   * A view names at most 100 holders; when it names as many, all subscribers are looked through.
   */
  private Future<Void> wakeHolders(QuotaView view) {
    if (view.holders().size() >= Pages.MAX) {
      return wakeHoldersAfter(view.quota().id(), null);
    }
    view.holders().forEach(wakes::changed);
    return Future.succeededFuture();
  }

  private Future<Void> wakeHoldersAfter(String quota, @Nullable String after) {
    return config
        .subscribers(after, Pages.MAX)
        .compose(
            page -> {
              page.items().stream()
                  .map(ConfigStore.SubscriberView::subscriber)
                  .filter(subscriber -> subscriber.quotaId().equals(quota))
                  .forEach(subscriber -> wakes.changed(subscriber.id()));
              return page.next() == null
                  ? Future.succeededFuture()
                  : wakeHoldersAfter(quota, page.next());
            });
  }

  private static Refused unknown(String id) {
    return Problem.of(Kind.NOT_FOUND, "there is no quota '" + id + "'").refused();
  }
}
