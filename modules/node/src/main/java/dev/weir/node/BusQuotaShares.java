package dev.weir.node;

import dev.weir.domain.quota.QuotaDivision.Grant;
import dev.weir.domain.quota.QuotaDivision.Renewal;
import dev.weir.protocol.bus.Addresses;
import dev.weir.protocol.bus.QuotaProtocol;
import dev.weir.protocol.quota.QuotaShares;
import io.vertx.core.Future;
import io.vertx.core.eventbus.EventBus;

/** The node's quota verticle, as its subscribers see it. */
record BusQuotaShares(EventBus bus) implements QuotaShares {

  @Override
  public Future<Grant> renew(Renewal request) {
    return bus.<QuotaProtocol.Granted>request(
            Addresses.QUOTA, new QuotaProtocol.Renew(request), Addresses.LOCAL)
        .map(reply -> reply.body().grant());
  }

  @Override
  public Future<Void> release(String quotaId, String holder, long sequence, long tokensLeftMicros) {
    return bus.request(
            Addresses.QUOTA,
            new QuotaProtocol.Release(quotaId, holder, sequence, tokensLeftMicros),
            Addresses.LOCAL)
        .mapEmpty();
  }
}
