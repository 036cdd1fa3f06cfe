package dev.weir.domain.quota;

/**
 * An allowance: at most {@code burst + rate · w} requests start in any window w.
 *
 * @param id the quota's name; a subscriber's own quota carries the subscriber's id
 * @param rate how fast tokens come back
 * @param burst whole tokens that may be spent at once, 1 to {@value #MAX_BURST}
 */
public record Quota(String id, Rate rate, int burst) {

  public static final int MAX_BURST = 1_000_000;

  public Quota {
    if (burst < 1 || burst > MAX_BURST) {
      throw new IllegalArgumentException("burst must be 1 to " + MAX_BURST + ", was " + burst);
    }
  }

  /** The default burst of a rate: {@code 2 + ⌈r · 20 ms⌉}, small yet room for several holders. */
  public static int defaultBurst(Rate rate) {
    return rate.isUnlimited() || rate.isZero() ? 2 : (int) (2 + rate.tokensIn(20_000, true));
  }
}
