package dev.weir.store;

import dev.weir.domain.quota.Rate;
import java.math.BigInteger;

/**
 * A rate as the scripts count with it: a token takes {@code whole + part/tokens} microseconds.
 * Scripts have doubles, exact to 2^53; with {@code tokens} at most a million every product of
 * theirs stays below it. Rates whose exact numerator is larger (more than six digits behind the
 * point) are rounded to the slower by less than 10^-6 µs a token: under-use, never over.
 *
 * @param tokens 1 to 1,000,000
 * @param whole microseconds; 0 for unlimited, -1 for rate zero
 */
record StoredRate(long tokens, long whole, long part) {

  private static final BigInteger MOST = BigInteger.valueOf(1_000_000);

  static StoredRate of(Rate rate) {
    if (rate.isUnlimited()) {
      return new StoredRate(1, 0, 0);
    }
    if (rate.isZero()) {
      return new StoredRate(1, -1, 0);
    }
    BigInteger tokens = BigInteger.valueOf(rate.tokens());
    BigInteger period = BigInteger.valueOf(rate.periodMicros());
    if (tokens.compareTo(MOST) > 0) {
      BigInteger[] scaled = period.multiply(MOST).divideAndRemainder(tokens);
      period = scaled[1].signum() > 0 ? scaled[0].add(BigInteger.ONE) : scaled[0];
      tokens = MOST;
    }
    BigInteger[] parts = period.divideAndRemainder(tokens);
    return new StoredRate(
        tokens.longValueExact(), parts[0].longValueExact(), parts[1].longValueExact());
  }
}
