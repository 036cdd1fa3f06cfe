package dev.weir.testkit.store;

import dev.weir.domain.message.DeliveryId;
import dev.weir.domain.outcome.Gate;
import dev.weir.domain.outcome.Outcome;
import dev.weir.domain.outcome.Outcome.Health;
import dev.weir.domain.quota.Quota;
import dev.weir.protocol.store.ClaimId;
import java.math.BigInteger;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * One quota: its exact GCRA and its gate. The TAT is kept in n-ths of a µs (n being the rate's
 * tokens), so that no rate is ever rounded.
 */
final class MemoryQuota {

  /** Claims run up to 50 ms ahead of their token; twice that never fires in health. */
  private static final long SLACK_MICROS = 100_000;

  private static final long MICRO_TOKENS = 1_000_000;

  /** A ramp's fraction is counted in parts of this. */
  private static final long RAMP_WHOLE = 100_000;

  final boolean shared;
  final int partition;
  final Set<String> holders = new TreeSet<>();

  private Quota quota;

  /** Null until a token is spent: full. */
  private @Nullable BigInteger tat;

  /** What was in hand when the rate became 0: without accrual the TAT can't tell. */
  private Fraction frozen;

  private Gate gate = Gate.OPEN;

  MemoryQuota(Quota quota, boolean shared, int partition) {
    this.quota = quota;
    this.shared = shared;
    this.partition = partition;
    this.frozen = Fraction.whole(quota.burst());
  }

  /** A quota of the same id after this one was deleted: what was spent stays spent. */
  MemoryQuota successor(Quota with, boolean shared, long nowMicros) {
    MemoryQuota next = new MemoryQuota(quota, shared, partition);
    next.tat = tat;
    next.frozen = frozen;
    next.replace(with, nowMicros);
    return next;
  }

  private record Fraction(BigInteger numerator, BigInteger denominator) {
    static Fraction whole(long value) {
      return new Fraction(BigInteger.valueOf(value), BigInteger.ONE);
    }

    Fraction atMost(long limit) {
      BigInteger scaled = BigInteger.valueOf(limit).multiply(denominator);
      return numerator.compareTo(scaled) > 0 ? whole(limit) : this;
    }
  }

  Quota quota() {
    return quota;
  }

  // Tokens

  /** Changes rate and burst; what is in hand stays, clipped to the new burst, never more. */
  void replace(Quota with, long nowMicros) {
    if (with.rate().equals(quota.rate()) && with.burst() == quota.burst()) {
      quota = with;
      return;
    }
    Fraction kept = inHand(nowMicros).atMost(with.burst());
    quota = with;
    frozen = kept;
    tat = null;
    if (isPaced()) {
      BigInteger missing =
          BigInteger.valueOf(with.burst()).multiply(kept.denominator).subtract(kept.numerator);
      BigInteger[] parts = missing.multiply(period()).divideAndRemainder(kept.denominator);
      BigInteger wait = parts[1].signum() > 0 ? parts[0].add(BigInteger.ONE) : parts[0];
      tat = scaled(nowMicros).add(wait);
    }
  }

  private Fraction inHand(long nowMicros) {
    if (quota.rate().isUnlimited()) {
      return Fraction.whole(quota.burst());
    }
    if (quota.rate().isZero()) {
      return frozen;
    }
    BigInteger full = BigInteger.valueOf(quota.burst()).multiply(period());
    return new Fraction(full.subtract(debt(nowMicros)), period());
  }

  /** Idleness counts against the window: whose TAT lies a window back has no claim to send. */
  long level(long sendWindowMs, long nowMicros) {
    BigInteger most = BigInteger.valueOf(quota.burst() * MICRO_TOKENS);
    if (!isPaced()) {
      Fraction inHand = inHand(nowMicros);
      return floor(inHand.numerator.multiply(BigInteger.valueOf(MICRO_TOKENS)), inHand.denominator)
          .longValueExact();
    }
    if (tat == null) {
      return most.longValueExact();
    }
    BigInteger behind = tat.subtract(scaled(nowMicros)).add(scaled(sendWindowMs * 1_000));
    BigInteger micros =
        most.add(floor(behind.negate().multiply(BigInteger.valueOf(MICRO_TOKENS)), period()));
    return micros.max(BigInteger.ZERO).min(most).longValueExact();
  }

  /** How many tokens the backstop allows now; each costs more while the gate ramps. */
  long available(long nowMicros) {
    if (quota.rate().isUnlimited()) {
      return Integer.MAX_VALUE;
    }
    if (quota.rate().isZero()) {
      return 0;
    }
    return Math.max(
        0, floor(allowance().subtract(debt(nowMicros)), cost(nowMicros)).longValueExact());
  }

  private BigInteger allowance() {
    return BigInteger.valueOf(quota.burst())
        .multiply(period())
        .add(BigInteger.valueOf(SLACK_MICROS).multiply(tokens()));
  }

  /** Ms until the backstop allows one; -1 when only a change of the rate will. */
  long tokenInMs(long nowMicros) {
    if (quota.rate().isUnlimited()) {
      return 0;
    }
    if (quota.rate().isZero()) {
      return -1;
    }
    BigInteger missing = debt(nowMicros).add(cost(nowMicros)).subtract(allowance());
    if (missing.signum() <= 0) {
      return 0;
    }
    BigInteger perMs = tokens().multiply(BigInteger.valueOf(1_000));
    return floor(missing.add(perMs).subtract(BigInteger.ONE), perMs).longValueExact();
  }

  void spend(int count, long nowMicros) {
    if (isPaced()) {
      tat = tatOrNow(nowMicros).add(cost(nowMicros).multiply(BigInteger.valueOf(count)));
    }
  }

  /** Gives tokens back, less what has accrued since they were taken: the truth can't have more. */
  void refund(int count, long claimedMs, long nowMicros) {
    if (!isPaced() || tat == null) {
      return;
    }
    BigInteger accrued =
        BigInteger.valueOf(Math.max(0, nowMicros - claimedMs * 1_000)).multiply(tokens());
    BigInteger spent = period().multiply(BigInteger.valueOf(count));
    tat = tat.subtract(spent.subtract(accrued).max(BigInteger.ZERO));
  }

  private boolean isPaced() {
    return !quota.rate().isUnlimited() && !quota.rate().isZero();
  }

  private BigInteger tokens() {
    return BigInteger.valueOf(quota.rate().tokens());
  }

  private BigInteger period() {
    return BigInteger.valueOf(quota.rate().periodMicros());
  }

  private BigInteger cost(long nowMicros) {
    long fraction = rampFraction(nowMicros / 1_000);
    BigInteger whole = period().multiply(BigInteger.valueOf(RAMP_WHOLE));
    return floor(whole.add(BigInteger.valueOf(fraction - 1)), BigInteger.valueOf(fraction));
  }

  private BigInteger scaled(long micros) {
    return BigInteger.valueOf(micros).multiply(tokens());
  }

  private BigInteger tatOrNow(long nowMicros) {
    BigInteger now = scaled(nowMicros);
    return tat == null ? now : tat.max(now);
  }

  private BigInteger debt(long nowMicros) {
    return tatOrNow(nowMicros).subtract(scaled(nowMicros));
  }

  private static BigInteger floor(BigInteger numerator, BigInteger denominator) {
    BigInteger[] parts = numerator.divideAndRemainder(denominator);
    return parts[1].signum() < 0 ? parts[0].subtract(BigInteger.ONE) : parts[0];
  }

  // The gate

  long gateInMs(long nowMs) {
    return Math.max(0, gate.closedUntilMs() - nowMs);
  }

  Gate.Passage passage(long nowMs) {
    return gate.passage(Gate.Policy.DEFAULT, nowMs);
  }

  boolean isHalfOpen() {
    return gate.halfOpen();
  }

  void sendProbe(ClaimId claim, DeliveryId delivery, long endMs) {
    gate = gate.probeStarted(name(claim, delivery), endMs);
  }

  private long rampFraction(long nowMs) {
    Gate.Passage passage = passage(nowMs);
    return passage.kind() == Gate.Passage.Kind.RAMP
        ? Math.max(1, Math.round(passage.fraction() * RAMP_WHOLE))
        : RAMP_WHOLE;
  }

  /** When work that is there at {@code workMs} may start; {@code Long.MAX_VALUE} for never. */
  long openMs(long workMs, long nowMicros) {
    long nowMs = nowMicros / 1_000;
    long tokenInMs = tokenInMs(nowMicros);
    if (workMs == Long.MAX_VALUE || tokenInMs < 0) {
      return Long.MAX_VALUE;
    }
    long waitMs = Math.max(tokenInMs, passage(nowMs).nextInMs());
    return waitMs == 0 ? Math.max(workMs, gate.closedUntilMs()) : Math.max(workMs, nowMs + waitMs);
  }

  /** By hand: the cool-down is over. A probe still goes first, as the endpoint decides. */
  void open() {
    gate = gate.opened();
  }

  /** A claim ended without an outcome: lapsed, released or recovered. */
  void forgetProbe(@Nullable ClaimId claim, DeliveryId delivery) {
    gate = gate.probeEnded(name(claim, delivery));
  }

  boolean isProbe(@Nullable ClaimId claim, DeliveryId delivery) {
    return name(claim, delivery).equals(gate.probe());
  }

  private static String name(@Nullable ClaimId claim, DeliveryId delivery) {
    return claim + " " + delivery.key();
  }

  /** What an applied outcome means to the gate, and to the tokens when a ramp begins. */
  void settled(ClaimId claim, DeliveryId delivery, Outcome outcome, long nowMicros) {
    boolean rampBegins = isProbe(claim, delivery) && outcome.health() == Health.ALIVE;
    gate = gate.settled(outcome, name(claim, delivery), Gate.Policy.DEFAULT, nowMicros / 1_000);
    if (rampBegins && isPaced()) {
      BigInteger oneLeft =
          scaled(nowMicros).add(period().multiply(BigInteger.valueOf(quota.burst() - 1L)));
      tat = tatOrNow(nowMicros).max(oneLeft);
    }
  }
}
