package dev.weir.protocol.bus;

import dev.weir.domain.quota.QuotaDivision.Grant;
import dev.weir.domain.quota.QuotaDivision.Renewal;

/** Requests for shares of quotas, and their replies. */
public sealed interface QuotaProtocol {

  /** Replied to with {@link Granted}. */
  record Renew(Renewal request) implements QuotaProtocol {}

  record Granted(Grant grant) implements QuotaProtocol {}

  /** Replied to with {@link Released}. */
  record Release(String quotaId, String holder, long sequence, long tokensLeftMicros)
      implements QuotaProtocol {}

  record Released() implements QuotaProtocol {}
}
