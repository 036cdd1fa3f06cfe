package dev.weir.domain.quota;

import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Divides one quota over its holders. A pure step from state and request to state and grant; times
 * are nanoseconds of one monotonic clock, read by whoever calls it.
 *
 * <p><b>The law</b>, at every instant: pool + Σ what holders may hold ≤ burst, and pool accrual + Σ
 * what holders accrue ≤ rate. All spending is then bounded: in a window w, tokens(begin) + accrued
 * − tokens(end) ≤ burst + rate · w. A holder is counted at the most it can still have, whatever
 * became of the messages between:
 *
 * <ul>
 *   <li>With <i>whole tokens</i> it is counted at what it was given and hasn't reported as spent.
 *       Its tokens can't grow by themselves, so its report only ever lowers the count.
 *   <li>The <i>sole holder</i> has rate and cap whole and accrues by itself. It is counted at its
 *       cap, and the pool stands still, until it says that it doesn't accrue any more: being told
 *       to stop (the reply may be lost) isn't enough.
 *   <li>A holder whose lease has lapsed forfeits what it had; nothing of it comes back, but its
 *       room accrues again from the lapse on. The holder's own deadline is earlier, because it
 *       counts the lease from before its first asking, and this counts it from the last processing.
 * </ul>
 *
 * <p>A repeated sequence number gets the grant that was given; an older one changes nothing and
 * gets the latest grant, which its asker rejects by the number. Tokens that are asked for and not
 * there are handed out max-min fair, in turns, so nobody starves; a holder that doesn't come when
 * its turn is due loses the turn after {@link Terms#patienceNanos}.
 *
 * <p>A change of the quota never mints: tokens stay, clipped to the new burst. Where it takes
 * something away, the new bound holds once every holder has renewed or lapsed.
 */
public final class QuotaDivision {

  /** A lease that lasts as long as its holder: for holders in this very process. */
  public static final long NO_LEASE = Long.MAX_VALUE;

  private static final long TOKEN = TokenBucket.TOKEN_MICROS;

  private QuotaDivision() {}

  /** A holder renews its share, or begins it. */
  public static Step renew(State state, Renewal request, Terms terms, long nowNanos) {
    State current = reconfigured(advanced(state, nowNanos), request.quota(), request.version());
    Holder known = current.holders().get(request.holder());
    if (known != null && request.sequence() <= known.sequence()) {
      return repeated(current, known, request, terms);
    }
    return new Renewing(current, request, known, terms).step();
  }

  /**
   * A holder gives its share back: the tokens that it still has go to the pool. A repeat, or one of
   * a holder whose lease has lapsed, changes nothing.
   *
   * @param tokensLeftMicros that it has, and will not spend any more
   */
  public static State release(
      State state, String holder, long sequence, long tokensLeftMicros, long nowNanos) {
    State current = advanced(state, nowNanos);
    Holder known = current.holders().get(holder);
    if (known == null || sequence <= known.sequence()) {
      return current;
    }
    long returned = Math.max(0, Math.min(known.heldMicros(), tokensLeftMicros));
    State without = current.without(holder);
    Pool pool = without.pool().withMicros(without.pool().micros() + returned);
    return without.with(pool.clipped(without.roomMicros()));
  }

  /** A new configuration: takes effect when its version is newer. */
  public static State reconfigured(State state, Quota quota, long version) {
    if (version <= state.version()) {
      return state;
    }
    Pool pool = new Pool(state.pool().micros(), 0, state.pool().stampNanos());
    State changed = new State(quota, version, pool, state.holders(), state.turn());
    return changed.with(pool.clipped(changed.roomMicros()));
  }

  /** Lets time pass: the pool accrues, leases lapse, each at its instant. */
  public static State advanced(State state, long nowNanos) {
    State current = state;
    for (Holder next = current.firstToLapse(); next != null; next = current.firstToLapse()) {
      if (nowNanos - next.leaseEndNanos() < 0) {
        break;
      }
      current = current.accrued(next.leaseEndNanos()).without(next.name());
    }
    return current.accrued(nowNanos);
  }

  private static Step repeated(State state, Holder known, Renewal request, Terms terms) {
    if (request.sequence() < known.sequence()) {
      return new Step(state, known.reply());
    }
    // The asker may count its lease from this repeat, so the lease runs from here.
    Holder renewed = known.leased(terms.leaseEnd(state.nowNanos()));
    return new Step(state.with(renewed), known.reply());
  }

  /** One renewal under way: what was there, and what becomes of it. */
  private static final class Renewing {

    private final State before;
    private final Renewal request;
    private final Terms terms;
    private final Holder holder;
    private final boolean alone;

    private Renewing(State state, Renewal request, @Nullable Holder known, Terms terms) {
      this.request = request;
      this.terms = terms;
      this.holder = reported(known, request, state.nowNanos());
      this.before = state.with(holder);
      this.alone = before.holders().size() == 1;
    }

    /** What the report says can only lower the count; a newcomer has nothing, whatever it says. */
    private static Holder reported(@Nullable Holder known, Renewal request, long nowNanos) {
      if (known == null) {
        return Holder.newcomer(request.holder(), nowNanos);
      }
      if (request.accrues() && known.accrues()) {
        return known;
      }
      long left = Math.max(0, request.tokensLeftMicros());
      return known.holding(Math.min(known.heldMicros(), left), false);
    }

    private Step step() {
      if (before.quota().rate().isUnlimited()) {
        return whole(0);
      }
      if (alone && terms.soleHolder()) {
        return whole(before.pool().micros());
      }
      return holder.accrues() ? shrink() : wholeTokens();
    }

    /** Rate and cap whole, and all that is in the pool. */
    private Step whole(long addedMicros) {
      Quota quota = before.quota();
      long counted = Math.max(quota.burst() * TOKEN, holder.accrues() ? holder.heldMicros() : 0);
      Pool pool = before.pool().withMicros(before.pool().micros() - addedMicros);
      Grant grant =
          new Grant(
              request.sequence(),
              quota.rate(),
              quota.burst(),
              addedMicros,
              terms.leaseNanos(),
              terms.renewNanos());
      return done(holder.holding(counted, true), grant, 0, pool);
    }

    /** Told to stop accruing; counted as before until it says that it has. */
    private Step shrink() {
      long kept = Math.min(Math.max(0, request.tokensLeftMicros()), holder.heldMicros()) / TOKEN;
      int cap = (int) Math.min(kept, before.quota().burst());
      Grant grant = new Grant(request.sequence(), Rate.ZERO, cap, 0, terms.leaseNanos(), 0);
      return done(holder, grant, 0, before.pool());
    }

    private Step wholeTokens() {
      long want = Math.max(0, request.demand() - holder.heldMicros() / TOKEN);
      List<Holder> queue = before.queue(holder.waiting(want), terms);
      long given = MaxMin.divide(before.pool().micros() / TOKEN, wants(queue))[indexIn(queue)];
      Holder served = given > 0 ? holder.served(before.turn() + 1) : holder;
      Pool pool = before.pool().withMicros(before.pool().micros() - given * TOKEN);
      long held = holder.heldMicros() + given * TOKEN;
      long cap = Math.min(held / TOKEN, before.quota().burst());
      long missing = want - given;
      Grant grant =
          new Grant(
              request.sequence(),
              Rate.ZERO,
              (int) cap,
              given * TOKEN,
              terms.leaseNanos(),
              missing > 0 ? nextInNanos(pool, queue, given > 0) : idleNanos());
      return done(served.holding(held, false), grant, missing, pool);
    }

    private Step done(Holder after, Grant grant, long missing, Pool pool) {
      long now = before.nowNanos();
      long due = grant.nextInNanos() == Grant.NEVER ? now : saturated(now, grant.nextInNanos());
      Holder settled = after.waiting(missing).replied(grant, due, terms.leaseEnd(now));
      long turn = Math.max(before.turn(), settled.lastServed());
      State next =
          new State(before.quota(), before.version(), pool, before.holders(), turn).with(settled);
      return new Step(next, grant);
    }

    /** When the pool will have had one for everybody ahead, and one more. */
    private long nextInNanos(Pool pool, List<Holder> queue, boolean servedNow) {
      Holder accruing = before.accruing();
      if (accruing != null) {
        // Nothing comes until it has stopped: it is told so when it asks, and says so when it
        // asks again.
        long due = accruing.dueNanos() - before.nowNanos();
        return Math.min(Math.max(due, pollNanos()), terms.renewNanos());
      }
      int ahead = servedNow ? waitingOthers(queue) : indexIn(queue);
      long nanos = pool.nanosUntil(before.pace(), (ahead + 1) * TOKEN);
      if (nanos == 0) {
        // There are tokens, kept for others: they fetch them, or lose their turn.
        return pollNanos();
      }
      return nanos == Long.MAX_VALUE ? idleNanos() : nanos;
    }

    private long pollNanos() {
      return Math.max(1, terms.patienceNanos());
    }

    /** Under a lease a holder has to renew, whatever it has; without one it needn't come. */
    private long idleNanos() {
      return terms.leaseNanos() == NO_LEASE ? Grant.NEVER : terms.renewNanos();
    }

    private int waitingOthers(List<Holder> queue) {
      return queue.size() - 1;
    }

    private int indexIn(List<Holder> queue) {
      for (int i = 0; i < queue.size(); i++) {
        if (queue.get(i).name().equals(holder.name())) {
          return i;
        }
      }
      throw new IllegalStateException("the asker is always in the queue");
    }

    private static long[] wants(List<Holder> queue) {
      return queue.stream().mapToLong(Holder::waiting).toArray();
    }
  }

  private static long saturated(long left, long right) {
    long sum = left + right;
    return sum < left ? Long.MAX_VALUE : sum;
  }

  /**
   * What a holder asks.
   *
   * @param holder names it, its incarnation included: a restarted one is another holder
   * @param sequence counts up with each new request of the holder, from 1; a repeat keeps its
   *     number
   * @param accrues whether it has a rate of its own at this moment. It stops before it says no.
   * @param tokensLeftMicros it has, at most, from now until the reply unless it accrues
   * @param demand attempts that it could start if it had the tokens, those it has included; 0 or
   *     more
   * @param quota as it knows it
   * @param version of that quota; the newest wins
   */
  public record Renewal(
      String holder,
      long sequence,
      boolean accrues,
      long tokensLeftMicros,
      int demand,
      Quota quota,
      long version) {}

  /**
   * What a holder gets. It takes the shape first (which clips what it has to the cap), then adds
   * the tokens; what it spent since it asked stays spent. It asks again when {@code nextInNanos} is
   * over, and at once when it has spent what it had: until it says so its tokens are counted, and
   * their room in the burst stays taken.
   *
   * @param sequence of the request it answers
   * @param rate that it accrues by itself; {@link Rate#ZERO} with whole tokens
   * @param cap most whole tokens that it may hold
   * @param addedMicros micro-tokens that it has more from now on, 0 or more
   * @param leaseNanos from before it first asked with this sequence; {@link #NO_LEASE} for none
   * @param nextInNanos when asking again makes sense; 0 at once, {@link #NEVER} when only a change
   *     of its demand or of the quota will
   */
  public record Grant(
      long sequence, Rate rate, int cap, long addedMicros, long leaseNanos, long nextInNanos) {

    public static final long NEVER = Long.MAX_VALUE;

    public boolean accrues() {
      return !rate.isZero();
    }

    /** {@link #nextInNanos} in ms, rounded up; −1 for never. */
    public long nextInMs() {
      return nextInNanos == NEVER
          ? -1
          : nextInNanos / 1_000_000 + (nextInNanos % 1_000_000 > 0 ? 1 : 0);
    }
  }

  /**
   * @param state to keep
   * @param grant to send
   */
  public record Step(State state, Grant grant) {}

  /**
   * On what terms shares are given.
   *
   * @param leaseNanos how long a share lasts without renewal; {@link #NO_LEASE} for as long as the
   *     holder runs
   * @param renewNanos how often a holder that lacks nothing asks again; below the lease
   * @param patienceNanos how long a due turn is kept for a holder that doesn't come
   * @param soleHolder whether a holder that is alone gets rate and cap whole
   */
  public record Terms(long leaseNanos, long renewNanos, long patienceNanos, boolean soleHolder) {

    /** For holders in this very process: whole tokens, until released; a turn is kept 50 ms. */
    public static final Terms LOCAL = new Terms(NO_LEASE, 1_000_000_000L, 50_000_000L, false);

    public Terms {
      if (renewNanos < 1 || renewNanos >= leaseNanos || patienceNanos < 0) {
        throw new IllegalArgumentException("a share is renewed within its lease");
      }
    }

    private long leaseEnd(long nowNanos) {
      return leaseNanos == NO_LEASE ? NO_LEASE : nowNanos + leaseNanos;
    }
  }

  /**
   * A divided quota.
   *
   * @param version of the quota
   * @param pool what no holder has
   * @param holders by name
   * @param turn counts the servings, for the order of turns
   */
  public record State(
      Quota quota, long version, Pool pool, Map<String, Holder> holders, long turn) {

    public State {
      holders = Collections.unmodifiableMap(holders);
    }

    /**
     * Nobody holds anything.
     *
     * @param levelMicros that may be spent at once, by what is known of the past; clipped to 0 …
     *     burst
     */
    public static State begin(Quota quota, long version, long levelMicros, long nowNanos) {
      long level = Math.max(0, Math.min(levelMicros, quota.burst() * TOKEN));
      return new State(quota, version, new Pool(level, 0, nowNanos), Map.of(), 0);
    }

    /** Micro-tokens that no holder has. */
    public long poolMicros() {
      return pool.micros();
    }

    /** Micro-tokens that holders may have at most, all together. */
    public long heldMicros() {
      long sum = 0;
      for (Holder holder : holders.values()) {
        sum += holder.heldMicros();
      }
      return sum;
    }

    /** Whether a share is under way for this holder. */
    public boolean isHolder(String name) {
      return holders.containsKey(name);
    }

    private long nowNanos() {
      return pool.stampNanos();
    }

    private Pace pace() {
      return Pace.of(quota.rate());
    }

    private long roomMicros() {
      return Math.max(0, quota.burst() * TOKEN - heldMicros());
    }

    private State accrued(long nowNanos) {
      return with(
          accruing() == null
              ? pool.refilled(pace(), roomMicros(), nowNanos)
              : pool.idledUntil(nowNanos));
    }

    private @Nullable Holder accruing() {
      for (Holder holder : holders.values()) {
        if (holder.accrues()) {
          return holder;
        }
      }
      return null;
    }

    private @Nullable Holder firstToLapse() {
      Holder first = null;
      for (Holder holder : holders.values()) {
        boolean leased = holder.leaseEndNanos() != NO_LEASE;
        if (leased && (first == null || holder.leaseEndNanos() - first.leaseEndNanos() < 0)) {
          first = holder;
        }
      }
      return first;
    }

    /** The asker and whoever else waits and hasn't missed its turn, least recently served first. */
    private List<Holder> queue(Holder asker, Terms terms) {
      List<Holder> queue = new ArrayList<>();
      queue.add(asker);
      for (Holder holder : holders.values()) {
        boolean waits = holder.waiting() > 0 && !holder.missedItsTurn(nowNanos(), terms);
        if (waits && !holder.name().equals(asker.name())) {
          queue.add(holder);
        }
      }
      queue.sort(Comparator.comparingLong(Holder::lastServed).thenComparing(Holder::name));
      return queue;
    }

    private State with(Pool newPool) {
      return newPool.equals(pool) ? this : new State(quota, version, newPool, holders, turn);
    }

    private State with(Holder holder) {
      Map<String, Holder> changed = new TreeMap<>(holders);
      changed.put(holder.name(), holder);
      return new State(quota, version, pool, changed, turn);
    }

    private State without(String name) {
      Map<String, Holder> changed = new TreeMap<>(holders);
      changed.remove(name);
      return new State(quota, version, pool, changed, turn);
    }
  }

  /**
   * What is known of a holder.
   *
   * @param heldMicros the most it may have now
   * @param accrues whether it may be accruing by itself
   * @param leaseEndNanos by this side's clock; {@link #NO_LEASE} for none
   * @param sequence of its latest request
   * @param reply to that request
   * @param waiting whole tokens that it asked for and didn't get
   * @param lastServed turn in which it last got a token; 0 for never
   * @param dueNanos when it will ask again, by the reply
   */
  public record Holder(
      String name,
      long heldMicros,
      boolean accrues,
      long leaseEndNanos,
      long sequence,
      Grant reply,
      long waiting,
      long lastServed,
      long dueNanos) {

    private static final Grant NOTHING = new Grant(0, Rate.ZERO, 0, 0, NO_LEASE, Grant.NEVER);

    private static Holder newcomer(String name, long nowNanos) {
      return new Holder(name, 0, false, NO_LEASE, 0, NOTHING, 0, 0, nowNanos);
    }

    private boolean missedItsTurn(long nowNanos, Terms terms) {
      return nowNanos - dueNanos > terms.patienceNanos();
    }

    private Holder holding(long micros, boolean accruing) {
      return new Holder(
          name, micros, accruing, leaseEndNanos, sequence, reply, waiting, lastServed, dueNanos);
    }

    private Holder waiting(long tokens) {
      return new Holder(
          name, heldMicros, accrues, leaseEndNanos, sequence, reply, tokens, lastServed, dueNanos);
    }

    private Holder served(long turn) {
      return new Holder(
          name, heldMicros, accrues, leaseEndNanos, sequence, reply, waiting, turn, dueNanos);
    }

    private Holder leased(long endNanos) {
      return new Holder(
          name, heldMicros, accrues, endNanos, sequence, reply, waiting, lastServed, dueNanos);
    }

    private Holder replied(Grant grant, long nextDueNanos, long endNanos) {
      return new Holder(
          name,
          heldMicros,
          accrues,
          endNanos,
          grant.sequence(),
          grant,
          waiting,
          lastServed,
          nextDueNanos);
    }
  }
}
