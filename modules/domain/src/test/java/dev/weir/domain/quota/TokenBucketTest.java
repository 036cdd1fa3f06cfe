package dev.weir.domain.quota;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.math.BigInteger;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class TokenBucketTest {

  private static final long TOKEN = TokenBucket.TOKEN_MICROS;
  private static final long SECOND = 1_000_000_000L;
  private static final long TEN_HOURS = 36_000L * SECOND;

  @Test
  void spendsTheBurstThenWaitsForTheNextToken() {
    TokenBucket bucket = bucket("5/s", 3, 3 * TOKEN);

    assertThat(takeAll(bucket, 0)).isEqualTo(3);
    assertThat(bucket.nanosUntilNext(0)).isEqualTo(SECOND / 5);
    assertThat(bucket.tryTake(SECOND / 5 - 1)).isFalse();
    assertThat(bucket.tryTake(SECOND / 5)).isTrue();
  }

  @Test
  void beginsWithNoMoreThanItsCap() {
    assertThat(bucket("1/s", 2, 99 * TOKEN).wholeTokens(0)).isEqualTo(2);
    assertThat(bucket("1/s", 2, -1).micros(0)).isZero();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "1/day",
        "5/h",
        "10/min",
        "7/min",
        "0.5/s",
        "3/s",
        "999.999999/s",
        "99999.999999/s",
        "100000/s",
        "1.000001/day",
        "0.333333/s"
      })
  void accruesExactlyOverTenHoursForAnyPollingPattern(String rate) {
    Random random = new Random(rate.hashCode());
    for (long meanStep : new long[] {3_000_000L, 400_000_000L, 90 * SECOND}) {
      TokenBucket bucket = bucket(rate, Quota.MAX_BURST, 0);
      long clock = 0;
      long taken = 0;
      long polls = Math.min(200_000, TEN_HOURS / meanStep);
      for (long poll = 0; poll < polls; poll++) {
        clock += 1 + random.nextLong(2 * meanStep);
        taken += takeAtMost(bucket, clock, 5_000);
      }
      BigInteger exact = exactMicros(Rate.parse(rate), clock);
      BigInteger counted =
          BigInteger.valueOf(taken)
              .multiply(BigInteger.valueOf(TOKEN))
              .add(BigInteger.valueOf(bucket.micros(clock)));
      BigInteger capped = BigInteger.valueOf(Quota.MAX_BURST * TOKEN);
      assertThat(counted).isLessThanOrEqualTo(exact);
      if (exact.compareTo(capped) < 0) {
        assertThat(exact.subtract(counted)).isEqualTo(BigInteger.ZERO);
      }
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"1/day", "5/h", "7/min", "0.5/s", "3/s", "997/s", "99999.999999/s"})
  void sleepingUntilTheNextTokenLosesLessThanOneTokenInTenHours(String rate) {
    // Room for two: with one, the fraction of a nanosecond that each wait is rounded up by is lost.
    TokenBucket bucket = bucket(rate, 2, 0);
    long clock = 0;
    long taken = 0;
    while (clock < TEN_HOURS && taken < 300_000) {
      long wait = bucket.nanosUntilNext(clock);
      clock += wait;
      assertThat(bucket.tryTake(clock)).isTrue();
      taken++;
    }
    long exact = exactMicros(Rate.parse(rate), clock).longValueExact() / TOKEN;
    assertThat(taken).isBetween(exact - 1, exact);
  }

  @Test
  void survivesYearsOfIdlenessWithoutOverflow() {
    for (String rate : new String[] {"1/day", "99999.999999/s", "100000/s", "1.000001/day"}) {
      TokenBucket bucket = bucket(rate, 10, 0);
      assertThat(bucket.wholeTokens(TimeUnit.DAYS.toNanos(36_500))).isEqualTo(10);
    }
    TokenBucket slow = bucket("1/day", Quota.MAX_BURST, 0);
    assertThat(slow.wholeTokens(TimeUnit.DAYS.toNanos(100_000))).isEqualTo(100_000);
  }

  @Test
  void countsOnAClockThatWrapsAround() {
    long start = Long.MAX_VALUE - SECOND / 2;
    TokenBucket bucket = new TokenBucket(Rate.parse("10/s"), 100, 0, start);

    assertThat(bucket.wholeTokens(start + SECOND)).isEqualTo(10);
  }

  @Test
  void aFullBucketDoesNotCreditItsIdleTimeTwice() {
    TokenBucket bucket = bucket("1/s", 2, 2 * TOKEN);
    assertThat(bucket.wholeTokens(100 * SECOND)).isEqualTo(2);

    assertThat(takeAll(bucket, 100 * SECOND)).isEqualTo(2);
    assertThat(bucket.wholeTokens(100 * SECOND + 1)).isZero();
  }

  @Test
  void aClockThatStepsBackChangesNothing() {
    TokenBucket bucket = bucket("1/s", 10, 0);
    assertThat(bucket.wholeTokens(5 * SECOND)).isEqualTo(5);
    assertThat(bucket.wholeTokens(SECOND)).isEqualTo(5);
    assertThat(bucket.wholeTokens(5 * SECOND)).isEqualTo(5);
    assertThat(bucket.wholeTokens(6 * SECOND)).isEqualTo(6);
  }

  @Test
  void foreseesTheTokensOfTheHorizonUpToItsCap() {
    TokenBucket bucket = bucket("100/s", 5, TOKEN);

    assertThat(bucket.tokensDueWithin(0, SECOND / 50)).isEqualTo(3);
    assertThat(bucket.tokensDueWithin(0, SECOND)).isEqualTo(5);
    assertThat(bucket.wholeTokens(0)).isEqualTo(1);
  }

  @Test
  void rateZeroSpendsWhatItHoldsAndNeverPromisesMore() {
    TokenBucket bucket = new TokenBucket(Rate.ZERO, 5, 2 * TOKEN, 0);

    assertThat(bucket.tokensDueWithin(0, Long.MAX_VALUE)).isEqualTo(2);
    assertThat(takeAll(bucket, 0)).isEqualTo(2);
    assertThat(bucket.nanosUntilNext(SECOND)).isEqualTo(TokenBucket.NEVER);
  }

  @Test
  void anUnlimitedRateAlwaysHasTokens() {
    TokenBucket bucket = new TokenBucket(Rate.UNLIMITED, 1, 0, 0);

    assertThat(bucket.tryTake(0)).isTrue();
    assertThat(bucket.tryTake(0)).isTrue();
    assertThat(bucket.wholeTokens(0)).isEqualTo(TokenBucket.UNLIMITED_TOKENS);
    assertThat(bucket.nanosUntilNext(0)).isZero();
  }

  @Test
  void tokensAreVoidFromTheDeadlineOn() {
    TokenBucket bucket = bucket("1/s", 10, 0);
    bucket.set(Rate.parse("1/s"), 10, 3 * TOKEN, 5 * SECOND, 0);

    assertThat(bucket.wholeTokens(5 * SECOND - 1)).isEqualTo(7);
    assertThat(bucket.tokensDueWithin(5 * SECOND - 1, SECOND)).isEqualTo(8);
    assertThat(bucket.tryTake(5 * SECOND)).isFalse();
    assertThat(bucket.micros(5 * SECOND)).isZero();
    bucket.extend(20 * SECOND, 6 * SECOND);
    assertThat(bucket.wholeTokens(6 * SECOND)).isZero();
    assertThat(bucket.nanosUntilNext(6 * SECOND)).isEqualTo(SECOND);
  }

  @Test
  void aTokenThatWouldComeAfterTheDeadlineNeverComes() {
    TokenBucket bucket = bucket("1/h", 1, 0);
    bucket.set(Rate.parse("1/h"), 1, 0, 5 * SECOND, 0);

    assertThat(bucket.nanosUntilNext(0)).isEqualTo(TokenBucket.NEVER);
  }

  @Test
  void reshapingKeepsTokensClippedToTheNewCapAndMintsNone() {
    TokenBucket bucket = bucket("1/s", 10, 8 * TOKEN);

    bucket.reshape(Rate.parse("100/s"), 5, 0);
    assertThat(bucket.wholeTokens(0)).isEqualTo(5);
    bucket.reshape(Rate.parse("100/s"), 50, 0);
    assertThat(bucket.wholeTokens(0)).isEqualTo(5);
    assertThat(bucket.wholeTokens(SECOND / 10)).isEqualTo(15);
  }

  @Test
  void addedTokensAreClippedToTheCap() {
    TokenBucket bucket = bucket("1/s", 3, TOKEN);
    bucket.add(Long.MAX_VALUE, 0);
    assertThat(bucket.wholeTokens(0)).isEqualTo(3);
    bucket.add(-TOKEN, 0);
    assertThat(bucket.wholeTokens(0)).isEqualTo(2);
  }

  @Test
  void refusesACapBeyondTheLargestBurst() {
    assertThatThrownBy(() -> bucket("1/s", Quota.MAX_BURST + 1, 0))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("cap must be 0 to 1000000");
  }

  @Property
  void noWindowEverSeesMoreThanBurstPlusRate(
      @ForAll("rates") Rate rate, @ForAll @IntRange(min = 1, max = 50) int cap, @ForAll long seed) {
    Random random = new Random(seed);
    TokenBucket bucket = new TokenBucket(rate, cap, cap * TOKEN, 0);
    long mean = Math.max(2, exactNanosPerToken(rate));
    long clock = 0;
    // x = spent·TOKEN − accrued: over every window it may rise by at most the burst.
    BigInteger lowest = BigInteger.ZERO;
    long spent = 0;
    for (int poll = 0; poll < 300; poll++) {
      clock += random.nextLong(2 * mean);
      BigInteger before = level(rate, spent, clock);
      lowest = lowest.min(before);
      spent += takeAtMost(bucket, clock, random.nextInt(cap + 1));
      assertThat(level(rate, spent, clock).subtract(lowest))
          .isLessThanOrEqualTo(BigInteger.valueOf(cap * TOKEN));
    }
  }

  @Property
  void theNextTokenComesExactlyWhenForetold(@ForAll("rates") Rate rate, @ForAll long seed) {
    Random random = new Random(seed);
    TokenBucket bucket = new TokenBucket(rate, 5, 0, 0);
    long clock = 0;
    for (int i = 0; i < 50; i++) {
      clock += random.nextLong(Math.max(2, exactNanosPerToken(rate)));
      takeAll(bucket, clock);
      long wait = bucket.nanosUntilNext(clock);
      assertThat(bucket.tokensDueWithin(clock, wait)).isEqualTo(1);
      assertThat(bucket.wholeTokens(clock + wait - 1)).isZero();
      clock += wait;
      assertThat(bucket.wholeTokens(clock)).isEqualTo(1);
    }
  }

  @Provide
  Arbitrary<Rate> rates() {
    return Arbitraries.of(
            "1/day",
            "1.000001/day",
            "5/h",
            "7/min",
            "0.5/s",
            "3/s",
            "997.123457/s",
            "99999.999999/s",
            "100000/s")
        .map(Rate::parse);
  }

  private static BigInteger level(Rate rate, long spent, long nanos) {
    return BigInteger.valueOf(spent * TOKEN).subtract(exactMicros(rate, nanos));
  }

  private static long exactNanosPerToken(Rate rate) {
    return rate.periodMicros() / rate.tokens() * 1000;
  }

  private static BigInteger exactMicros(Rate rate, long nanos) {
    return BigInteger.valueOf(nanos)
        .multiply(BigInteger.valueOf(rate.tokens()))
        .multiply(BigInteger.valueOf(1000))
        .divide(BigInteger.valueOf(rate.periodMicros()));
  }

  private static TokenBucket bucket(String rate, int cap, long initialMicros) {
    return new TokenBucket(Rate.parse(rate), cap, initialMicros, 0);
  }

  private static int takeAll(TokenBucket bucket, long nowNanos) {
    return takeAtMost(bucket, nowNanos, Integer.MAX_VALUE);
  }

  private static int takeAtMost(TokenBucket bucket, long nowNanos, int most) {
    int taken = 0;
    while (taken < most && bucket.tryTake(nowNanos)) {
      taken++;
    }
    return taken;
  }
}
