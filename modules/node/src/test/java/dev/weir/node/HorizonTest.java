package dev.weir.node;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.domain.quota.Rate;
import dev.weir.domain.quota.TokenBucket;
import org.junit.jupiter.api.Test;

class HorizonTest {

  private static final long MS = 1_000_000;

  @Test
  void theHorizonIsTwiceTheSlowestClaimsWithinBounds() {
    assertThat(ClaimTimes.horizon(0)).isEqualTo(2 * MS);
    assertThat(ClaimTimes.horizon(4 * MS)).isEqualTo(8 * MS);
    assertThat(ClaimTimes.horizon(400 * MS)).isEqualTo(50 * MS);
  }

  @Test
  void aSlowRateAsksForOneAndOnlyWhenItsTokenIsNear() {
    TokenBucket slow = new TokenBucket(Rate.parse("0.5/s"), 1, 0, 0);
    assertThat(Pacing.demand(slow, 32, 0, 2 * MS, 1_990 * MS)).isZero();
    assertThat(Pacing.demandInNanos(slow, 0, 2 * MS, 1_990 * MS)).isEqualTo(8 * MS);
    assertThat(Pacing.demand(slow, 32, 0, 2 * MS, 1_998 * MS)).isEqualTo(1);
  }

  @Test
  void whatIsInHandTakesTheFirstTokens() {
    TokenBucket bucket = new TokenBucket(Rate.parse("1000/s"), 22, 3 * 1_000_000, 0);
    assertThat(Pacing.demand(bucket, 32, 0, 2 * MS, 0)).isEqualTo(5);
    assertThat(Pacing.demand(bucket, 32, 4, 2 * MS, 0)).isEqualTo(1);
    assertThat(Pacing.demand(bucket, 2, 0, 2 * MS, 0)).isEqualTo(2);
  }

  @Test
  void anUnlimitedRateAsksForItsFreeSlots() {
    TokenBucket unlimited = new TokenBucket(Rate.UNLIMITED, 2, 0, 0);
    assertThat(Pacing.demand(unlimited, 32, 5, 2 * MS, 0)).isEqualTo(32);
    assertThat(Pacing.demandInNanos(unlimited, 5, 2 * MS, 0)).isZero();
  }

  @Test
  void aBucketThatCannotHoldMoreWaitsForThoseInHand() {
    TokenBucket one = new TokenBucket(Rate.parse("10/s"), 1, 1_000_000, 0);
    assertThat(Pacing.demandInNanos(one, 1, 2 * MS, 0)).isEqualTo(Pacing.NEVER);
  }

  @Test
  void backoffOfTheStoreGrowsToASecond() {
    assertThat(StoreBackoff.delayMs(1, 0.5)).isBetween(5L, 10L);
    assertThat(StoreBackoff.delayMs(50, 0.999)).isBetween(125L, 250L);
  }
}
