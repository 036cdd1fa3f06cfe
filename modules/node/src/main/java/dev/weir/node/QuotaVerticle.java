package dev.weir.node;

import dev.weir.protocol.store.Store;
import io.vertx.core.VerticleBase;

/** Draft. */
final class QuotaVerticle extends VerticleBase {
  QuotaVerticle(Store store) {}
}
