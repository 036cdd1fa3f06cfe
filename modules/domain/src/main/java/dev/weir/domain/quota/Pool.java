package dev.weir.domain.quota;

import java.math.BigInteger;

/**
 * The part of a divided quota that no holder has. It accrues exactly (the remainder is carried), up
 * to whatever room the holders leave.
 *
 * @param micros micro-tokens in it
 * @param remainder of the last refill, in {@code 1 / per} of a micro-token
 * @param stampNanos until when it has been refilled; never moves back
 */
record Pool(long micros, long remainder, long stampNanos) {

  /** Refills up to {@code nowNanos}, but not beyond {@code roomMicros}; the excess is lost. */
  Pool refilled(Pace pace, long roomMicros, long nowNanos) {
    long elapsed = nowNanos - stampNanos;
    if (elapsed <= 0) {
      return this;
    }
    if (pace.gain() == 0 || micros >= roomMicros) {
      return new Pool(micros, 0, nowNanos);
    }
    BigInteger[] parts =
        BigInteger.valueOf(elapsed)
            .multiply(BigInteger.valueOf(pace.gain()))
            .add(BigInteger.valueOf(remainder))
            .divideAndRemainder(BigInteger.valueOf(pace.per()));
    long room = roomMicros - micros;
    if (parts[0].compareTo(BigInteger.valueOf(room)) >= 0) {
      return new Pool(roomMicros, 0, nowNanos);
    }
    return new Pool(micros + parts[0].longValueExact(), parts[1].longValueExact(), nowNanos);
  }

  /** Lets time pass without accruing: somebody else does. */
  Pool idledUntil(long nowNanos) {
    return nowNanos - stampNanos <= 0 ? this : new Pool(micros, 0, nowNanos);
  }

  Pool withMicros(long newMicros) {
    return new Pool(newMicros, remainder, stampNanos);
  }

  Pool clipped(long roomMicros) {
    return micros <= roomMicros ? this : new Pool(Math.max(0, roomMicros), 0, stampNanos);
  }

  /** Until it holds {@code wanted} if nobody takes from it; 0 when it does. */
  long nanosUntil(Pace pace, long wanted) {
    if (micros >= wanted) {
      return 0;
    }
    if (pace.gain() == 0) {
      return Long.MAX_VALUE;
    }
    BigInteger[] parts =
        BigInteger.valueOf(wanted - micros)
            .multiply(BigInteger.valueOf(pace.per()))
            .subtract(BigInteger.valueOf(remainder))
            .divideAndRemainder(BigInteger.valueOf(pace.gain()));
    BigInteger nanos = parts[1].signum() > 0 ? parts[0].add(BigInteger.ONE) : parts[0];
    return nanos.bitLength() > 62 ? Long.MAX_VALUE : nanos.longValueExact();
  }
}
