package dev.weir.api;

import dev.weir.api.SubscriberJson.Configuration;
import dev.weir.api.http.Call;
import dev.weir.api.http.JsonFields;
import dev.weir.api.http.Operation;
import dev.weir.api.http.Problem;
import dev.weir.api.http.Problem.Kind;
import dev.weir.api.http.Refused;
import dev.weir.api.http.Reply;
import dev.weir.protocol.bus.Wakes;
import dev.weir.protocol.store.ConfigStore;
import dev.weir.protocol.store.ConfigStore.PutSubscriber;
import io.vertx.core.Future;
import java.time.InstantSource;
import java.util.Map;

/** {@code /v1/subscribers}. */
final class SubscriberRoutes {

  private static final int MAX_REASON_CHARS = 1_000;
  private static final String DEFAULT_REASON = "paused over the API";

  private final ConfigStore config;
  private final Wakes wakes;
  private final InstantSource clock;

  SubscriberRoutes(ApiPorts ports) {
    this.config = ports.store().config();
    this.wakes = ports.wakes();
    this.clock = ports.clock();
  }

  void addTo(Map<String, Operation> operations) {
    operations.put("listSubscribers", this::list);
    operations.put("putSubscriber", this::put);
    operations.put("getSubscriber", call -> view(id(call), 200));
    operations.put("deleteSubscriber", this::delete);
    operations.put("pauseSubscriber", this::pause);
    operations.put("resumeSubscriber", this::resume);
  }

  private static String id(Call call) {
    return Ids.subscriber("id", call.path("id"));
  }

  private Future<Reply> list(Call call) {
    return config
        .subscribers(Pages.after(call).orElse(null), Pages.limit(call))
        .map(
            page ->
                Pages.reply(
                    page, (json, view) -> SubscriberJson.write(json, view, clock.millis())));
  }

  private Future<Reply> put(Call call) {
    String id = Ids.newName("id", call.path("id"));
    Configuration wanted = SubscriberJson.read(id, call.json());
    return config
        .putSubscriber(wanted.subscriber(), wanted.own())
        .compose(outcome -> answer(wanted, outcome));
  }

  private Future<Reply> answer(Configuration wanted, PutSubscriber outcome) {
    String id = wanted.subscriber().id();
    String quota = wanted.subscriber().quotaId();
    return switch (outcome) {
      case CREATED -> changed(id, 201);
      case REPLACED -> changed(id, 200);
      case NO_QUOTA ->
          conflict(
              wanted.own() != null
                  ? "there is a shared quota of the id '" + id + "'; choose another id"
                  : "there is no shared quota '"
                      + quota
                      + "'; create it first with PUT /v1/quotas/{id}");
      case OTHER_QUOTA ->
          conflict(
              "'"
                  + id
                  + "' hangs on another quota and can't move; delete it and create it anew, or"
                  + " choose another id");
      case DELETING ->
          Future.succeededFuture(
              Problem.of(Kind.CONFLICT, "a delete of '" + id + "' is still under way; repeat this")
                  .about("id")
                  .reply()
                  .with("Retry-After", "1"));
    };
  }

  private static Future<Reply> conflict(String detail) {
    return Future.succeededFuture(Problem.of(Kind.CONFLICT, detail).about("quota").reply());
  }

  private Future<Reply> delete(Call call) {
    String id = id(call);
    return config
        .deleteSubscriber(id)
        .map(
            existed -> {
              requireKnown(id, existed);
              wakes.changed(id);
              return Reply.noContent();
            });
  }

  private Future<Reply> pause(Call call) {
    String id = id(call);
    String reason = reason(call);
    return config.pause(id, reason).compose(existed -> changedIf(existed, id));
  }

  private static String reason(Call call) {
    if (call.body().length() == 0) {
      return DEFAULT_REASON;
    }
    JsonFields json = call.json();
    String reason = json.text("reason").orElse(DEFAULT_REASON);
    json.refuseUnknown();
    if (reason.isEmpty() || reason.length() > MAX_REASON_CHARS) {
      String limit = "1 to " + MAX_REASON_CHARS + " characters";
      throw Problem.invalid("reason", limit, "reason must be " + limit).refused();
    }
    return reason;
  }

  private Future<Reply> resume(Call call) {
    String id = id(call);
    return config.resume(id).compose(existed -> changedIf(existed, id));
  }

  private Future<Reply> changedIf(boolean existed, String id) {
    requireKnown(id, existed);
    return changed(id, 200);
  }

  private Future<Reply> changed(String id, int status) {
    wakes.changed(id);
    return view(id, status);
  }

  private Future<Reply> view(String id, int status) {
    return config
        .subscriber(id)
        .map(
            found -> {
              var view = found.orElseThrow(() -> unknown(id));
              return Reply.json(status, json -> SubscriberJson.write(json, view, clock.millis()));
            });
  }

  private static void requireKnown(String id, boolean existed) {
    if (!existed) {
      throw unknown(id);
    }
  }

  static Refused unknown(String id) {
    return Problem.of(Kind.NOT_FOUND, "there is no subscriber '" + id + "'").refused();
  }
}
