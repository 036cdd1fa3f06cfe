package dev.weir.api;

import dev.weir.api.http.Dispatcher;
import dev.weir.api.http.OpenApi;
import dev.weir.api.http.Operation;
import io.vertx.core.Future;
import io.vertx.core.VerticleBase;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerOptions;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Serves the HTTP API. Several instances may share one port, one per event loop. */
public final class ApiVerticle extends VerticleBase {

  private final ApiConfig config;
  private final ApiPorts ports;
  private @Nullable HttpServer server;

  public ApiVerticle(ApiConfig config, ApiPorts ports) {
    this.config = config;
    this.ports = ports;
  }

  @Override
  public Future<?> start() {
    OpenApi description = OpenApi.load();
    Dispatcher dispatcher =
        new Dispatcher(
            vertx,
            description,
            operations(description, ports),
            config.bodyDeadline(),
            this::answered);
    server =
        vertx
            .createHttpServer(options())
            .invalidRequestHandler(Dispatcher::invalid)
            .requestHandler(dispatcher);
    return server.listen();
  }

  @Override
  public Future<?> stop() {
    return server == null ? Future.succeededFuture() : server.close();
  }

  /** The port it listens on, once deployed. */
  public int port() {
    if (server == null) {
      throw new IllegalStateException("not deployed");
    }
    return server.actualPort();
  }

  static Map<String, Operation> operations(OpenApi description, ApiPorts ports) {
    Map<String, Operation> all = new HashMap<>();
    DeliveryChanges changes = new DeliveryChanges(ports.store().inspection(), ports.wakes());
    new SubscriberRoutes(ports).addTo(all);
    new QuotaRoutes(ports).addTo(all);
    new PublishRoutes(ports).addTo(all);
    new DeliveryRoutes(ports.store().inspection(), changes).addTo(all);
    new DeadLetterRoutes(ports, changes).addTo(all);
    new ReconciliationRoutes(ports, changes).addTo(all);
    new OperationsRoutes(ports, description).addTo(all);
    return all;
  }

  private HttpServerOptions options() {
    return new HttpServerOptions()
        .setHost(config.host())
        .setPort(config.port())
        .setMaxHeaderSize(ApiConfig.MAX_HEADER_BYTES)
        .setMaxInitialLineLength(ApiConfig.MAX_REQUEST_LINE_BYTES)
        .setIdleTimeout((int) config.idleTimeout().toMillis())
        .setIdleTimeoutUnit(TimeUnit.MILLISECONDS)
        .setCompressionSupported(false)
        .setDecompressionSupported(false)
        // Neither WebSockets nor an upgrade to HTTP/2: limits and closing are those of HTTP/1.1.
        .setHttp2ClearTextEnabled(false);
  }

  private void answered(String operationId, int status) {
    if (operationId.equals("publish") && status >= 400) {
      ports.events().publishRejected(status);
    }
  }
}
