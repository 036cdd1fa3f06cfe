package dev.weir.protocol.quota;

import dev.weir.domain.quota.QuotaDivision.Grant;
import dev.weir.domain.quota.QuotaDivision.Renewal;
import io.vertx.core.Future;

/**
 * Where holders get their share of a quota, and give it back. A holder is a (subscriber, node)
 * pair. The law, at every instant: tokens in all shares and the pool together never exceed the
 * burst, and together they accrue no faster than the rate.
 */
public interface QuotaShares {

  /**
   * Renews a holder's share, or begins it. A repeat with the same sequence gets the same grant.
   * Fails when nobody can say what the quota's level is; ask again later.
   */
  Future<Grant> renew(Renewal request);

  /**
   * Gives a share back; its tokens go to whoever waits.
   *
   * @param sequence the holder's next
   * @param tokensLeftMicros that it has, and will not spend any more
   */
  Future<Void> release(String quotaId, String holder, long sequence, long tokensLeftMicros);
}
