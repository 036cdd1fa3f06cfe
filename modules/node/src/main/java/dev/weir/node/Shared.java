package dev.weir.node;

import dev.weir.node.attempt.HttpClients;
import dev.weir.protocol.quota.QuotaShares;
import dev.weir.protocol.store.Store;
import java.util.function.BooleanSupplier;

/**
 * What all verticles of a node share. Everything here is thread-safe.
 *
 * @param incarnation names this process in claim ids
 * @param keepTraces whether traces of delivered deliveries are worth their memory now
 */
record Shared(
    NodeConfig config,
    Store store,
    QuotaShares shares,
    HttpClients clients,
    Budget budget,
    InDoubt inDoubt,
    NodeMetrics metrics,
    NodeHealth health,
    Checkpoints checkpoints,
    WallClock clock,
    String incarnation,
    BooleanSupplier keepTraces) {}
