package dev.weir.domain.quota;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.domain.quota.QuotaDivision.Grant;
import dev.weir.domain.quota.QuotaDivision.Renewal;
import dev.weir.domain.quota.QuotaDivision.State;
import dev.weir.domain.quota.QuotaDivision.Step;
import dev.weir.domain.quota.QuotaDivision.Terms;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.IntRange;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Runs holders with real buckets against the division over a bad network (loss, repeats, delay,
 * reordering) with crashes, releases and lapses, and watches the law from outside.
 */
final class QuotaDivisionLawTest {

  private static final long TOKEN = TokenBucket.TOKEN_MICROS;
  private static final long MS = 1_000_000L;
  private static final long SECOND = 1_000 * MS;
  private static final Terms LEASED = new Terms(500 * MS, 100 * MS, 5 * MS, true);
  private static final Terms WHOLE_TOKENS = new Terms(500 * MS, 100 * MS, 5 * MS, false);

  @Property(tries = 400)
  void theLawHoldsOverABadNetwork(
      @ForAll("rates") Rate rate,
      @ForAll @IntRange(min = 1, max = 30) int burst,
      @ForAll boolean sole,
      @ForAll long seed) {
    Sim sim = new Sim(new Quota("q", rate, burst), sole ? LEASED : WHOLE_TOKENS, seed);
    for (int tick = 0; tick < 1_500; tick++) {
      sim.tick();
      sim.assertLaw();
    }
  }

  @Property(tries = 150)
  void noChangeOfTheQuotaEverMints(@ForAll boolean sole, @ForAll long seed) {
    Sim sim = new Sim(new Quota("q", Rate.parse("100/s"), 10), sole ? LEASED : WHOLE_TOKENS, seed);
    for (int tick = 0; tick < 1_500; tick++) {
      if (sim.random.nextInt(100) == 0) {
        sim.change(new Quota("q", sim.anyRate(), 1 + sim.random.nextInt(30)));
      }
      sim.tick();
      sim.assertBoundOf(Rate.parse("1000/s"), 30);
    }
  }

  @ParameterizedTest
  @CsvSource({
    "0.5/s, 3, 2, 600",
    "5/s, 3, 3, 60",
    "100/s, 4, 2, 60",
    "100/s, 4, 5, 60",
    "1000/s, 22, 3, 20",
    "1000/s, 6, 10, 20",
    "10/min, 1, 2, 3600"
  })
  void aBackloggedQuotaIsUsedToTheFullAndFairly(String rate, int burst, int holders, int seconds) {
    Quota quota = new Quota("q", Rate.parse(rate), burst);
    State state = State.begin(quota, 1, 0, 0);
    long[] spent = new long[holders];
    long[] wakeAt = new long[holders];
    long[] sequence = new long[holders];
    long end = seconds * SECOND;
    for (long now = 0; now < end; now = earliest(wakeAt)) {
      for (int i = 0; i < holders; i++) {
        if (wakeAt[i] > now) {
          continue;
        }
        Grant grant;
        do {
          Renewal ask = new Renewal("h" + i, ++sequence[i], false, 0, 1_000, quota, 1);
          Step step = QuotaDivision.renew(state, ask, Terms.LOCAL, now);
          state = step.state();
          grant = step.grant();
          spent[i] += grant.addedMicros() / TOKEN;
        } while (grant.addedMicros() > 0);
        assertThat(grant.nextInMs()).isPositive();
        wakeAt[i] = now + grant.nextInMs() * MS;
      }
    }
    long due = quota.rate().tokensIn(seconds * 1_000_000L, false);
    long total = 0;
    long asks = 0;
    for (int i = 0; i < holders; i++) {
      total += spent[i];
      asks += sequence[i];
      assertThat(spent[i]).isBetween(due / holders * 95 / 100 - 1, due / holders * 105 / 100 + 1);
    }
    // One is still on its way at the end.
    assertThat(total + 1).isBetween(due * 99 / 100, due + 1);
    assertThat(asks).isLessThan(due * (2 + holders) + 10);
  }

  private static long earliest(long[] times) {
    long first = Long.MAX_VALUE;
    for (long time : times) {
      first = Math.min(first, time);
    }
    return first;
  }

  @Provide
  Arbitrary<Rate> rates() {
    return Arbitraries.of("1000/s", "100/s", "7/s", "997.123457/s", "1/min").map(Rate::parse);
  }

  /** A message under way. */
  private record Letter(long arrivesAt, String to, Object content) {}

  private record Release(String holder, long sequence, long tokensLeftMicros) {}

  /** One holder, as a careful node runs it. */
  private static final class Node {
    private final String name;
    private final TokenBucket bucket = new TokenBucket(Rate.ZERO, 0, 0, 0);
    private long sequence;
    private boolean outstanding;
    private long askedAt;
    private @Nullable Renewal request;

    private Node(String name) {
      this.name = name;
    }
  }

  private static final class Sim {
    private final Random random;
    private final Terms terms;
    private final List<Node> nodes = new ArrayList<>();
    private final List<Letter> network = new ArrayList<>();
    private Quota quota;
    private long version = 1;
    private State state;
    private long now = 1;
    private long spent;
    private long spentBefore;
    private int incarnations;
    private BigInteger lowest = BigInteger.ZERO;

    private Sim(Quota quota, Terms terms, long seed) {
      this.quota = quota;
      this.terms = terms;
      this.random = new Random(seed);
      this.state = State.begin(quota, version, quota.burst() * TOKEN, now);
      for (int i = 0; i < 3; i++) {
        join();
      }
    }

    private void join() {
      nodes.add(new Node("n" + incarnations++));
    }

    private Rate anyRate() {
      return Rate.parse(List.of("1000/s", "100/s", "7/s", "0").get(random.nextInt(4)));
    }

    private void change(Quota changed) {
      quota = changed;
      version++;
    }

    private void tick() {
      spentBefore = spent;
      now += 1 + random.nextLong(random.nextInt(50) == 0 ? SECOND : 8 * MS);
      deliver();
      for (Node node : List.copyOf(nodes)) {
        act(node);
      }
    }

    private void act(Node node) {
      int wish = random.nextInt(100);
      if (wish < 40) {
        spend(node, random.nextInt(5));
      } else if (wish < 75) {
        ask(node);
      } else if (wish < 77) {
        giveBack(node);
      } else if (wish == 77) {
        nodes.remove(node);
        join();
      }
    }

    private void spend(Node node, int most) {
      for (int i = 0; i < most && node.bucket.tryTake(now); i++) {
        spent++;
      }
    }

    private void ask(Node node) {
      Renewal request = node.request;
      if (request == null || !node.outstanding || random.nextInt(4) == 0) {
        node.sequence++;
        node.outstanding = true;
        node.askedAt = now;
        request =
            new Renewal(
                node.name,
                node.sequence,
                !node.bucket.rate().isZero(),
                node.bucket.micros(now),
                random.nextInt(12),
                quota,
                version);
        node.request = request;
      }
      send("divider", request);
    }

    private void giveBack(Node node) {
      node.sequence++;
      node.outstanding = false;
      long left = node.bucket.micros(now);
      node.bucket.set(Rate.ZERO, 0, 0, TokenBucket.NO_DEADLINE, now);
      send("divider", new Release(node.name, node.sequence, left));
    }

    private void send(String to, Object content) {
      for (int copy = random.nextInt(5) == 0 ? 2 : 1; copy > 0; copy--) {
        long delay = random.nextInt(10) == 0 ? random.nextLong(SECOND) : random.nextLong(6 * MS);
        if (random.nextInt(8) > 0) {
          network.add(new Letter(now + delay, to, content));
        }
      }
    }

    private void deliver() {
      for (Letter letter : List.copyOf(network)) {
        if (letter.arrivesAt() <= now) {
          network.remove(letter);
          receive(letter);
        }
      }
    }

    private void receive(Letter letter) {
      if (letter.content() instanceof Renewal request) {
        Step step = QuotaDivision.renew(state, request, terms, now);
        state = step.state();
        send(request.holder(), step.grant());
      } else if (letter.content() instanceof Release release) {
        state =
            QuotaDivision.release(
                state, release.holder(), release.sequence(), release.tokensLeftMicros(), now);
      } else if (letter.content() instanceof Grant grant) {
        nodes.stream()
            .filter(node -> node.name.equals(letter.to()))
            .forEach(node -> take(node, grant));
      }
    }

    private void take(Node node, Grant grant) {
      if (!node.outstanding || grant.sequence() != node.sequence) {
        return;
      }
      node.outstanding = false;
      node.bucket.reshape(grant.rate(), grant.cap(), now);
      node.bucket.extend(node.askedAt + grant.leaseNanos() - 1, now);
      node.bucket.add(grant.addedMicros(), now);
    }

    private void assertLaw() {
      long limit = quota.burst() * TOKEN;
      State current = QuotaDivision.advanced(state, now);
      assertThat(current.poolMicros()).isNotNegative();
      assertThat(current.poolMicros() + current.heldMicros()).isLessThanOrEqualTo(limit);
      long actual = current.poolMicros();
      int accruing = 0;
      for (Node node : nodes) {
        long micros = node.bucket.micros(now);
        actual += micros;
        accruing += !node.bucket.rate().isZero() && micros > 0 ? 1 : 0;
      }
      assertThat(actual).isLessThanOrEqualTo(limit);
      assertThat(accruing).isLessThanOrEqualTo(1);
      assertBoundOf(quota.rate(), quota.burst());
    }

    /** Over all windows that end now: spent ≤ burst + rate · w. */
    private void assertBoundOf(Rate rate, int burst) {
      BigInteger accrued =
          BigInteger.valueOf(now)
              .multiply(BigInteger.valueOf(1_000 * rate.tokens()))
              .divide(BigInteger.valueOf(rate.periodMicros()));
      lowest = lowest.min(BigInteger.valueOf(spentBefore * TOKEN).subtract(accrued));
      BigInteger level = BigInteger.valueOf(spent * TOKEN).subtract(accrued);
      assertThat(level.subtract(lowest)).isLessThanOrEqualTo(BigInteger.valueOf(burst * TOKEN + 1));
    }
  }
}
