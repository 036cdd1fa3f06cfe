package dev.weir.node;

import dev.weir.domain.quota.Quota;
import dev.weir.domain.quota.QuotaDivision;
import dev.weir.domain.quota.QuotaDivision.Grant;
import dev.weir.domain.quota.QuotaDivision.Renewal;
import dev.weir.domain.quota.Rate;
import dev.weir.domain.quota.TokenBucket;
import dev.weir.protocol.quota.QuotaShares;

/**
 * One subscriber's share of a quota that it shares: keeps its bucket filled while it has something
 * to send, and gives everything back as soon as it hasn't. Lives on its subscriber's context.
 */
final class ShareHolder {

  private static final long NEVER = Long.MAX_VALUE;

  /** After a renewal that failed, and while one is under way. */
  private static final long AGAIN_NANOS = 100_000_000;

  private final QuotaShares shares;
  private final String holder;
  private final Runnable turn;
  private final TokenBucket bucket;

  private Quota quota;
  private long sequence;
  private boolean holding;
  private boolean accrues;
  private boolean renewing;
  private boolean spent;
  private boolean due;
  private long nextNanos;
  private boolean never;

  /**
   * @param holder names this activation of the subscriber
   * @param turn to take when a grant has come
   */
  ShareHolder(QuotaShares shares, Quota quota, String holder, Runnable turn, long nowNanos) {
    this.shares = shares;
    this.quota = quota;
    this.holder = holder;
    this.turn = turn;
    this.bucket = new TokenBucket(Rate.ZERO, 0, 0, nowNanos);
    this.due = true;
  }

  TokenBucket bucket() {
    return bucket;
  }

  /** The quota as configured now; when it changed, it is told at once. */
  void use(Quota now) {
    if (!now.equals(quota)) {
      quota = now;
      due = true;
    }
  }

  void spent() {
    spent = true;
  }

  /**
   * Asks or gives back, by what is wanted.
   *
   * @param wanted tokens that could be used now, those it has included
   */
  void turn(int wanted, long nowNanos) {
    if (renewing) {
      return;
    }
    if (wanted == 0) {
      release(nowNanos);
    } else if (waitNanos(wanted, nowNanos) <= 0) {
      renew(wanted, nowNanos);
    }
  }

  /** Until {@link #turn} will ask; {@link #NEVER} when it won't by itself. */
  long waitNanos(int wanted, long nowNanos) {
    if (renewing) {
      return AGAIN_NANOS;
    }
    boolean lacks = wanted > 0 && bucket.wholeTokens(nowNanos) < wanted;
    if (due || (lacks && spent)) {
      return 0;
    }
    if ((!lacks && !accrues) || never) {
      return NEVER;
    }
    return Math.max(0, nextNanos - nowNanos);
  }

  /** Gives everything back; what is asked for after it begins anew. */
  void release(long nowNanos) {
    if (!holding || renewing) {
      return;
    }
    long left = accrues ? 0 : bucket.micros(nowNanos);
    bucket.set(Rate.ZERO, 0, 0, TokenBucket.NO_DEADLINE, nowNanos);
    holding = false;
    accrues = false;
    due = true;
    shares.release(quota.id(), holder, ++sequence, left);
  }

  private void renew(int wanted, long nowNanos) {
    renewing = true;
    due = false;
    spent = false;
    holding = true;
    long asked = ++sequence;
    // The version is the divider's to judge: it reads the store when quotas differ.
    Renewal request =
        new Renewal(holder, asked, accrues, bucket.micros(nowNanos), wanted, quota, 0);
    shares
        .renew(request)
        .onComplete(
            answer -> {
              renewing = false;
              if (answer.succeeded()) {
                take(answer.result(), nowNanos);
              } else {
                lookAgainIn(AGAIN_NANOS);
              }
              turn.run();
            });
  }

  private void take(Grant grant, long askedNanos) {
    if (grant.sequence() != sequence) {
      return;
    }
    long now = System.nanoTime();
    bucket.reshape(grant.rate(), grant.cap(), now);
    bucket.add(grant.addedMicros(), now);
    if (grant.leaseNanos() != QuotaDivision.NO_LEASE) {
      bucket.extend(askedNanos + grant.leaseNanos(), now);
    }
    accrues = grant.accrues();
    never = grant.nextInNanos() == Grant.NEVER;
    if (!never) {
      lookAgainIn(grant.nextInNanos());
    }
  }

  private void lookAgainIn(long nanos) {
    never = false;
    nextNanos = System.nanoTime() + nanos;
  }
}
