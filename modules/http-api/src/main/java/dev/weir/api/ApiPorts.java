package dev.weir.api;

import dev.weir.protocol.bus.Wakes;
import dev.weir.protocol.store.Store;
import java.time.InstantSource;
import java.util.function.Supplier;

/**
 * What the API works with.
 *
 * @param scrape all metrics of the node in the Prometheus text format; must not block
 * @param readiness whether the node can do its work
 * @param clock for how far ahead an instant may lie, and for when a gate opens; never for pacing
 */
public record ApiPorts(
    Store store,
    Wakes wakes,
    ApiEvents events,
    Supplier<String> scrape,
    Supplier<Store.Health> readiness,
    InstantSource clock) {}
