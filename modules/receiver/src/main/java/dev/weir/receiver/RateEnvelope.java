package dev.weir.receiver;

import dev.weir.domain.quota.Rate;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.MathContext;
import java.math.RoundingMode;
import java.util.Arrays;

/**
 * Judges instants against a quota: by how many messages the fullest window exceeds {@code b + r·w}.
 *
 * <p>The law must hold for every window, so all of them are looked at, in one pass. With sorted
 * instants t₀ … tₙ₋₁ the window from tᵢ to tⱼ holds j − i + 1 starts and may hold b + r·(tⱼ − tᵢ);
 * with xᵢ = i − r·tᵢ its excess is xⱼ − xᵢ + 1 − b, and the largest over i ≤ j is found by keeping
 * the smallest xᵢ so far. Counted in units of 1/(period in ns) of a message, everything is a whole
 * number: nothing is rounded before the answer.
 */
public final class RateEnvelope {

  /** Messages; stamps are whole nanoseconds and buckets whole micro-tokens, so 0 is not quite 0. */
  public static final double TOLERANCE = 0.001;

  private RateEnvelope() {}

  /**
   * @param instantsNs monotonic, in any order
   * @return messages over the allowance in the worst window; negative is what was left of it
   */
  public static double largestExcess(long[] instantsNs, Rate rate, int burst) {
    if (rate.isUnlimited() || instantsNs.length == 0) {
      return -burst;
    }
    long[] sorted = instantsNs.clone();
    Arrays.sort(sorted);
    BigInteger unit = BigInteger.valueOf(rate.periodMicros()).multiply(BigInteger.valueOf(1_000));
    BigInteger tokens = BigInteger.valueOf(rate.tokens());
    BigInteger smallest = tokens.multiply(BigInteger.valueOf(-sorted[0]));
    BigInteger worst = BigInteger.ZERO;
    for (int i = 0; i < sorted.length; i++) {
      BigInteger x =
          unit.multiply(BigInteger.valueOf(i))
              .subtract(tokens.multiply(BigInteger.valueOf(sorted[i])));
      smallest = smallest.min(x);
      worst = worst.max(x.subtract(smallest));
    }
    return new BigDecimal(worst)
        .divide(new BigDecimal(unit), new MathContext(20, RoundingMode.CEILING))
        .add(BigDecimal.valueOf(1L - burst))
        .doubleValue();
  }

  public static boolean within(double excess) {
    return excess <= TOLERANCE;
  }
}
