package dev.weir.app;

import dev.weir.api.ApiEvents;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.jvm.JvmGcMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmMemoryMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmThreadMetrics;
import io.micrometer.core.instrument.binder.system.FileDescriptorMetrics;
import io.micrometer.core.instrument.binder.system.ProcessorMetrics;
import io.micrometer.core.instrument.binder.system.UptimeMetrics;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;

/** All meters of the process, the JVM's own among them, as Prometheus reads them. */
final class Metrics implements AutoCloseable {

  private final PrometheusMeterRegistry registry =
      new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
  private final JvmGcMetrics gc = new JvmGcMetrics();

  Metrics() {
    new JvmMemoryMetrics().bindTo(registry);
    new JvmThreadMetrics().bindTo(registry);
    new ProcessorMetrics().bindTo(registry);
    new FileDescriptorMetrics().bindTo(registry);
    new UptimeMetrics().bindTo(registry);
    gc.bindTo(registry);
  }

  MeterRegistry registry() {
    return registry;
  }

  /** Counts what the API tells. */
  ApiEvents apiEvents() {
    Counter hits = registry.counter("weir.idempotency.hits");
    return new ApiEvents() {
      @Override
      public void publishRejected(int status) {
        // Bounded: the API answers with a dozen different statuses.
        registry.counter("weir.publish.rejected", "status", Integer.toString(status)).increment();
      }

      @Override
      public void idempotencyHit() {
        hits.increment();
      }
    };
  }

  String scrape() {
    return registry.scrape();
  }

  @Override
  public void close() {
    gc.close();
    registry.close();
  }
}
