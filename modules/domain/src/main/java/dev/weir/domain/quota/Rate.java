package dev.weir.domain.quota;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.MathContext;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A rate as an exact fraction: {@code tokens} every {@code periodMicros}. {@code 0.5/s} is 1 every
 * 2,000,000 µs, {@code 5/h} is 5 every 3,600,000,000 µs; nothing is ever rounded.
 *
 * @param tokens numerator, in lowest terms; 0 for {@link #ZERO} and {@link #UNLIMITED}
 * @param periodMicros denominator in µs; 1 for {@link #ZERO}, 0 for {@link #UNLIMITED}
 */
public record Rate(long tokens, long periodMicros) {

  /** Nothing may start: the subscriber is paused. */
  public static final Rate ZERO = new Rate(0, 1);

  /** No pacing at all; only the in-flight cap bounds a subscriber. */
  public static final Rate UNLIMITED = new Rate(0, 0);

  public static final Rate MAX = new Rate(1, 10);
  public static final Rate MIN = new Rate(1, 86_400_000_000L);

  private static final Pattern FORM = Pattern.compile("(\\d{1,9}(?:\\.\\d{1,6})?)/(s|min|h|day)");

  public Rate {
    if (tokens < 0 || periodMicros < 0) {
      throw new IllegalArgumentException("a rate can't be negative");
    }
  }

  /**
   * Reads {@code "5/s"}, {@code "0.5/s"}, {@code "10/min"}, {@code "5/h"}, {@code "1/day"}, {@code
   * "0"} (paused) or {@code "unlimited"}.
   *
   * @throws IllegalArgumentException saying what is allowed
   */
  public static Rate parse(String text) {
    if (text.equals("unlimited")) {
      return UNLIMITED;
    }
    if (text.equals("0")) {
      return ZERO;
    }
    Matcher form = FORM.matcher(text);
    if (!form.matches()) {
      throw new IllegalArgumentException(
          "rate '"
              + text
              + "' is not of the form NUMBER/UNIT with unit s, min, h or day (such as 5/s, 0.5/s,"
              + " 10/min), \"0\" or \"unlimited\"");
    }
    BigDecimal number = new BigDecimal(form.group(1));
    if (number.signum() == 0) {
      return ZERO;
    }
    BigInteger numerator = number.movePointRight(6).toBigIntegerExact();
    BigInteger denominator =
        BigInteger.valueOf(Unit.valueOf(form.group(2).toUpperCase(Locale.ROOT)).micros)
            .multiply(BigInteger.valueOf(1_000_000));
    BigInteger divisor = numerator.gcd(denominator);
    Rate rate =
        new Rate(
            numerator.divide(divisor).longValueExact(),
            denominator.divide(divisor).longValueExact());
    if (rate.compareTo(MAX) > 0 || rate.compareTo(MIN) < 0) {
      throw new IllegalArgumentException("rate '" + text + "' is outside 1/day to 100000/s");
    }
    return rate;
  }

  public boolean isUnlimited() {
    return periodMicros == 0;
  }

  public boolean isZero() {
    return tokens == 0 && periodMicros != 0;
  }

  /** Whole tokens that accrue in {@code micros}, rounded down or up. */
  public long tokensIn(long micros, boolean roundUp) {
    BigInteger product = BigInteger.valueOf(micros).multiply(BigInteger.valueOf(tokens));
    BigInteger[] parts = product.divideAndRemainder(BigInteger.valueOf(periodMicros));
    return parts[0].longValueExact() + (roundUp && parts[1].signum() > 0 ? 1 : 0);
  }

  /** Tokens per second, for display only. */
  public double perSecond() {
    return isUnlimited() ? Double.POSITIVE_INFINITY : tokens * 1e6 / periodMicros;
  }

  private int compareTo(Rate other) {
    return BigInteger.valueOf(tokens)
        .multiply(BigInteger.valueOf(other.periodMicros))
        .compareTo(BigInteger.valueOf(other.tokens).multiply(BigInteger.valueOf(periodMicros)));
  }

  /** The form {@link #parse} reads, in the largest-grained unit that gives a short number. */
  @Override
  public String toString() {
    if (isUnlimited()) {
      return "unlimited";
    }
    if (isZero()) {
      return "0";
    }
    for (Unit unit : Unit.values()) {
      BigDecimal perUnit =
          new BigDecimal(tokens)
              .multiply(new BigDecimal(unit.micros))
              .divide(new BigDecimal(periodMicros), MathContext.DECIMAL64)
              .stripTrailingZeros();
      if (perUnit.scale() <= 6
          && parseOrZero(perUnit.toPlainString() + "/" + unit.word()).equals(this)) {
        return perUnit.toPlainString() + "/" + unit.word();
      }
    }
    return String.format(Locale.ROOT, "%d/%dus", tokens, periodMicros);
  }

  private static Rate parseOrZero(String text) {
    try {
      return parse(text);
    } catch (IllegalArgumentException notInThisUnit) {
      return ZERO;
    }
  }

  private enum Unit {
    S(1_000_000L),
    MIN(60_000_000L),
    H(3_600_000_000L),
    DAY(86_400_000_000L);

    private final long micros;

    Unit(long micros) {
      this.micros = micros;
    }

    private String word() {
      return name().toLowerCase(Locale.ROOT);
    }
  }
}
