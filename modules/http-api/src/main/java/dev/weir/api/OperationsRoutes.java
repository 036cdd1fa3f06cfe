package dev.weir.api;

import dev.weir.api.http.Call;
import dev.weir.api.http.JsonWriter;
import dev.weir.api.http.OpenApi;
import dev.weir.api.http.Operation;
import dev.weir.api.http.Reply;
import dev.weir.protocol.store.InspectionStore.Balance;
import dev.weir.protocol.store.Store.Health;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import java.util.Map;

/** Health, metrics, the balance, and the description of the API itself. */
final class OperationsRoutes {

  private final ApiPorts ports;
  private final OpenApi description;

  OperationsRoutes(ApiPorts ports, OpenApi description) {
    this.ports = ports;
    this.description = description;
  }

  void addTo(Map<String, Operation> operations) {
    operations.put("live", this::live);
    operations.put("ready", this::ready);
    operations.put("metrics", this::metrics);
    operations.put("getBalance", this::balance);
    operations.put("openapi", this::openapi);
  }

  private Future<Reply> live(Call call) {
    return Future.succeededFuture(Reply.json(200, json -> json.text("status", "live")));
  }

  private Future<Reply> ready(Call call) {
    Health health = ports.readiness().get();
    return Future.succeededFuture(
        health.ready()
            ? Reply.json(200, json -> ready(json, health.warning()))
            : Reply.json(
                503, json -> json.text("status", "unready").text("reason", health.reason())));
  }

  private static void ready(JsonWriter json, String warning) {
    json.text("status", "ready");
    if (!warning.isEmpty()) {
      json.text("warning", warning);
    }
  }

  private Future<Reply> metrics(Call call) {
    return Future.succeededFuture(
        new Reply(
            200, "text/plain; version=0.0.4; charset=utf-8", Buffer.buffer(ports.scrape().get())));
  }

  private Future<Reply> balance(Call call) {
    return ports.store().inspection().balance().map(OperationsRoutes::reply);
  }

  private static Reply reply(Balance balance) {
    return Reply.json(
        200,
        json ->
            json.flag("holds", balance.holds())
                .number("accepted", balance.accepted())
                .number("delivered", balance.delivered())
                .number("cancelled", balance.cancelled())
                .number("purged", balance.purged())
                .number("dead", balance.dead())
                .number("reconciling", balance.reconciling())
                .number("pending", balance.pending())
                .number("bodies", balance.bodies())
                .number("problemCount", balance.problemCount())
                .texts("problems", balance.problems()));
  }

  private Future<Reply> openapi(Call call) {
    return Future.succeededFuture(new Reply(200, "application/yaml", description.text()));
  }
}
