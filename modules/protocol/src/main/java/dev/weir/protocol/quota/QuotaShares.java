package dev.weir.protocol.quota;

import dev.weir.domain.quota.Quota;
import io.vertx.core.Future;

/**
 * Where holders get their share of a quota, and give it back. A holder is a (subscriber, node)
 * pair. The law, at every instant: tokens in all shares and the pool together never exceed the
 * burst, and together they accrue no faster than the rate.
 */
public interface QuotaShares {

  /**
   * Renews a holder's share, or begins it.
   *
   * @param request what the holder has and wants; a repeat with the same sequence gets the same
   *     grant
   */
  Future<ShareGrant> renew(ShareRequest request);

  /** Gives a share back for good; its tokens go to whoever waits. */
  Future<Void> release(String quotaId, String subscriber);

  /**
   * @param quota as the holder knows it; the newest version wins
   * @param configVersion of that quota
   * @param sequence counts up per holder
   * @param tokensLeftMicros micro-tokens it holds now
   * @param demand attempts it could start if it had the tokens, 0 or more
   */
  record ShareRequest(
      Quota quota,
      long configVersion,
      String subscriber,
      long sequence,
      long tokensLeftMicros,
      int demand) {}

  /**
   * @param sequence of the request it answers
   * @param share rate and cap that the holder accrues by itself until the lease ends; a rate of
   *     zero with tokens is the whole-token mode of low and shared rates
   * @param tokensMicros micro-tokens it holds from now on, what it had left included
   * @param leaseMs from when the holder asked, by its own monotonic clock; -1 for as long as it
   *     runs
   * @param nextInMs when asking again may bring tokens; -1 when the share accrues by itself
   */
  record ShareGrant(long sequence, Quota share, long tokensMicros, long leaseMs, long nextInMs) {}
}
