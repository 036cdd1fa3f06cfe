package dev.weir.protocol.bus;

import dev.weir.protocol.quota.QuotaShares.ShareGrant;
import dev.weir.protocol.quota.QuotaShares.ShareRequest;

/** Requests for shares of quotas, and their replies. */
public sealed interface QuotaProtocol {

  /** Replied to with {@link Granted}. */
  record Renew(ShareRequest request) implements QuotaProtocol {}

  record Granted(ShareGrant grant) implements QuotaProtocol {}

  /** Replied to with {@link Released}. */
  record Release(String quotaId, String subscriber) implements QuotaProtocol {}

  record Released() implements QuotaProtocol {}
}
