package dev.weir.receiver;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.weir.domain.quota.Rate;
import java.util.Arrays;
import java.util.List;
import java.util.stream.LongStream;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.LongRange;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;

class RateEnvelopeTest {

  private static final long SECOND_NS = 1_000_000_000L;

  @Property
  void onePassFindsWhatLookingAtEveryWindowFinds(
      @ForAll @Size(min = 1, max = 60) List<@LongRange(min = 0, max = 20 * SECOND_NS) Long> stamps,
      @ForAll @IntRange(min = 1, max = 50) int perSecond,
      @ForAll @IntRange(min = 1, max = 10) int burst) {
    long[] instants = stamps.stream().mapToLong(Long::longValue).toArray();
    double expected = everyWindow(instants, perSecond, burst);

    double found = RateEnvelope.largestExcess(instants, Rate.parse(perSecond + "/s"), burst);

    assertThat(found).isCloseTo(expected, within(1e-6));
  }

  @Test
  void aPaceExactlyAtTheQuotaExceedsNothing() {
    long[] paced = LongStream.range(0, 1_000).map(i -> i * SECOND_NS / 5).toArray();

    assertThat(RateEnvelope.largestExcess(paced, Rate.parse("5/s"), 1)).isEqualTo(0.0);
  }

  @Test
  void aBurstThenThePaceExceedsNothing() {
    long[] burst = LongStream.generate(() -> 7).limit(3).toArray();
    long[] paced = LongStream.rangeClosed(1, 50).map(i -> 7 + i * SECOND_NS / 5).toArray();

    double excess =
        RateEnvelope.largestExcess(
            LongStream.concat(Arrays.stream(burst), Arrays.stream(paced)).toArray(),
            Rate.parse("5/s"),
            3);

    assertThat(RateEnvelope.within(excess)).isTrue();
    assertThat(excess).isEqualTo(0.0);
  }

  @Test
  void aDoubledShareIsSeen() {
    // Two holders that each believe in the whole quota: the planted fault.
    LongStream one = LongStream.range(0, 100).map(i -> i * SECOND_NS / 5);
    LongStream other = LongStream.range(0, 100).map(i -> 1_000_000 + i * SECOND_NS / 5);

    double excess =
        RateEnvelope.largestExcess(LongStream.concat(one, other).toArray(), Rate.parse("5/s"), 2);

    assertThat(RateEnvelope.within(excess)).isFalse();
    assertThat(excess).isGreaterThan(95);
  }

  @Test
  void aBurstThatARestartGaveAgainIsSeen() {
    // Spent, paced for five seconds, and there again with the new process: the planted fault.
    LongStream burst = LongStream.generate(() -> 0).limit(15);
    LongStream paced = LongStream.rangeClosed(1, 10).map(i -> i * SECOND_NS / 2);
    LongStream again = LongStream.generate(() -> 5 * SECOND_NS + 1).limit(15);

    double excess =
        RateEnvelope.largestExcess(
            LongStream.concat(LongStream.concat(burst, paced), again).toArray(),
            Rate.parse("2/s"),
            15);

    assertThat(RateEnvelope.within(excess)).isFalse();
    assertThat(excess).isGreaterThan(14);
  }

  @Test
  void oneExtraMessageInAnHourIsSeen() {
    long hourNs = 3_600 * SECOND_NS;
    long[] instants = {0, 1, hourNs / 5, hourNs * 2 / 5 - hourNs / 50};

    double excess = RateEnvelope.largestExcess(instants, Rate.parse("5/h"), 2);

    assertThat(excess).isCloseTo(0.1, within(1e-9));
  }

  @Test
  void nothingSentLeavesTheWholeBurst() {
    assertThat(RateEnvelope.largestExcess(new long[0], Rate.parse("5/s"), 4)).isEqualTo(-4);
  }

  private static double everyWindow(long[] instants, int perSecond, int burst) {
    long[] sorted = instants.clone();
    Arrays.sort(sorted);
    double worst = Double.NEGATIVE_INFINITY;
    for (int i = 0; i < sorted.length; i++) {
      for (int j = i; j < sorted.length; j++) {
        double seconds = (sorted[j] - sorted[i]) / 1e9;
        worst = Math.max(worst, j - i + 1 - burst - perSecond * seconds);
      }
    }
    return worst;
  }
}
