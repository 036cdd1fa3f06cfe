package dev.weir.domain.quota;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.domain.quota.QuotaDivision.Grant;
import dev.weir.domain.quota.QuotaDivision.Renewal;
import dev.weir.domain.quota.QuotaDivision.State;
import dev.weir.domain.quota.QuotaDivision.Step;
import dev.weir.domain.quota.QuotaDivision.Terms;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Tells single stories; {@link QuotaDivisionLawTest} runs the wild ones. */
final class QuotaDivisionTest {

  private static final long TOKEN = TokenBucket.TOKEN_MICROS;
  private static final long SECOND = 1_000_000_000L;
  private static final Terms LEASED = new Terms(5 * SECOND, SECOND, SECOND / 20, true);

  private Terms terms = Terms.LOCAL;
  private Quota quota = new Quota("q", Rate.parse("1/s"), 4);
  private long version = 1;
  private State state = State.begin(quota, version, 4 * TOKEN, 0);

  @BeforeEach
  void wholeTokens() {
    terms = Terms.LOCAL;
  }

  @Test
  void givesWholeTokensAtOnceOutOfThePool() {
    Grant grant = renew("a", 1, 0, 3, 0);

    assertThat(grant.addedMicros()).isEqualTo(3 * TOKEN);
    assertThat(grant.cap()).isEqualTo(3);
    assertThat(grant.rate()).isEqualTo(Rate.ZERO);
    assertThat(grant.nextInMs()).isEqualTo(-1);
    assertThat(state.poolMicros()).isEqualTo(TOKEN);
  }

  @Test
  void thePoolAccruesOnlyIntoTheRoomThatHoldersLeave() {
    renew("a", 1, 0, 4, 0);
    state = QuotaDivision.advanced(state, 100 * SECOND);
    assertThat(state.poolMicros()).isZero();

    renew("a", 2, TOKEN, 1, 100 * SECOND);
    state = QuotaDivision.advanced(state, 200 * SECOND);
    assertThat(state.poolMicros()).isEqualTo(3 * TOKEN);
  }

  @Test
  void aRepeatGetsTheSameGrantAndTakesNothing() {
    Grant first = renew("a", 1, 0, 2, 0);
    State once = state;

    assertThat(renew("a", 1, 0, 2, 0)).isEqualTo(first);
    assertThat(state).isEqualTo(once);
  }

  @Test
  void anOlderRequestChangesNothing() {
    renew("a", 1, 0, 2, 0);
    Grant latest = renew("a", 2, 2 * TOKEN, 2, 0);
    State before = state;

    assertThat(renew("a", 1, 0, 4, 0)).isEqualTo(latest);
    assertThat(state).isEqualTo(before);
  }

  @Test
  void aReportCanOnlyLowerWhatAHolderIsCountedFor() {
    renew("a", 1, 0, 2, 0);
    renew("a", 2, 99 * TOKEN, 2, 0);
    assertThat(state.heldMicros()).isEqualTo(2 * TOKEN);
    renew("a", 3, -5, 0, 0);
    assertThat(state.heldMicros()).isZero();
  }

  @Test
  void aReleaseGivesTokensBackOnce() {
    renew("a", 1, 0, 4, 0);
    state = QuotaDivision.release(state, "a", 2, 3 * TOKEN, 0);
    state = QuotaDivision.release(state, "a", 2, 3 * TOKEN, 0);

    assertThat(state.poolMicros()).isEqualTo(3 * TOKEN);
    assertThat(state.isHolder("a")).isFalse();
  }

  @Test
  void aReleaseNeverReturnsMoreThanWasHeld() {
    renew("a", 1, 0, 1, 0);
    state = QuotaDivision.release(state, "a", 2, 50 * TOKEN, 0);
    assertThat(state.poolMicros()).isEqualTo(4 * TOKEN);
  }

  @Test
  void waitersAreServedInTurn() {
    renew("a", 1, 0, 4, 0);
    Grant b = renew("b", 1, 0, 9, 0);
    Grant c = renew("c", 1, 0, 9, 0);
    renew("a", 2, 0, 9, 0);

    assertThat(b.addedMicros()).isZero();
    assertThat(b.nextInMs()).isEqualTo(1_000);
    assertThat(c.nextInMs()).isEqualTo(2_000);
    assertThat(renew("c", 2, 0, 9, SECOND).addedMicros()).isZero();
    assertThat(renew("b", 2, 0, 9, SECOND).addedMicros()).isEqualTo(TOKEN);
    assertThat(renew("b", 3, 0, 9, SECOND).nextInMs()).isEqualTo(3_000);
    assertThat(renew("c", 3, 0, 9, 2 * SECOND).addedMicros()).isEqualTo(TOKEN);
  }

  @Test
  void whoDoesNotComeLosesTheTurnNotTheOthers() {
    renew("a", 1, 0, 4, 0);
    renew("b", 1, 0, 9, 0);
    renew("c", 1, 0, 9, 0);
    renew("a", 2, 0, 0, 0);

    // b was due at 1 s; its patience is 50 ms.
    assertThat(renew("c", 2, 0, 9, SECOND + SECOND / 10).addedMicros()).isEqualTo(TOKEN);
    assertThat(renew("b", 2, 0, 9, 2 * SECOND).addedMicros()).isEqualTo(TOKEN);
  }

  @Test
  void tokensKeptForOthersAreNotAskedForInAHotLoop() {
    renew("a", 1, 0, 4, 0);
    renew("b", 1, 0, 9, 0);
    renew("a", 2, 0, 0, 0);
    Grant greedy = renew("a", 3, 0, 9, SECOND);

    assertThat(greedy.addedMicros()).isZero();
    assertThat(greedy.nextInMs()).isGreaterThanOrEqualTo(1);
  }

  @Test
  void aNewcomersClaimToTokensIsVoid() {
    Grant grant = renew("ghost", 7, 4 * TOKEN, 0, 0);
    assertThat(grant.cap()).isZero();
    assertThat(state.heldMicros()).isZero();
  }

  @Test
  void aLapsedLeaseForfeitsItsTokensAndItsRoomAccruesFromThen() {
    terms = new Terms(5 * SECOND, SECOND, SECOND / 20, false);
    renew("a", 1, 0, 4, 0);

    state = QuotaDivision.advanced(state, 5 * SECOND - 1);
    assertThat(state.heldMicros()).isEqualTo(4 * TOKEN);
    state = QuotaDivision.advanced(state, 7 * SECOND);
    assertThat(state.isHolder("a")).isFalse();
    assertThat(state.poolMicros()).isEqualTo(2 * TOKEN);
  }

  @Test
  void aRepeatRunsTheLeaseAnewSinceTheAskerMayCountFromIt() {
    terms = new Terms(5 * SECOND, SECOND, SECOND / 20, false);
    renew("a", 1, 0, 4, 0);
    renew("a", 1, 0, 4, 4 * SECOND);
    state = QuotaDivision.advanced(state, 8 * SECOND);
    assertThat(state.isHolder("a")).isTrue();
  }

  @Test
  void theSoleHolderHasRateAndCapWhole() {
    terms = LEASED;
    Grant grant = renew("a", 1, 0, 1, 0);

    assertThat(grant.rate()).isEqualTo(quota.rate());
    assertThat(grant.cap()).isEqualTo(4);
    assertThat(grant.addedMicros()).isEqualTo(4 * TOKEN);
    state = QuotaDivision.advanced(state, SECOND);
    assertThat(state.poolMicros()).isZero();
  }

  @Test
  void aSecondHolderWaitsUntilTheFirstSaysThatItHasStopped() {
    terms = LEASED;
    renew("a", 1, 0, 1, 0);
    assertThat(renew("b", 1, 0, 5, 0).addedMicros()).isZero();

    Grant told = accruing("a", 2, 5 * TOKEN / 2, 1, SECOND);
    assertThat(told.rate()).isEqualTo(Rate.ZERO);
    assertThat(told.cap()).isEqualTo(2);
    assertThat(told.nextInMs()).isZero();
    // The reply may have been lost: nothing accrues for b yet.
    assertThat(renew("b", 2, 0, 5, 2 * SECOND).addedMicros()).isZero();
    assertThat(state.poolMicros()).isZero();

    renew("a", 3, 2 * TOKEN, 2, 2 * SECOND);
    assertThat(state.heldMicros()).isEqualTo(2 * TOKEN);
    assertThat(renew("b", 3, 0, 5, 4 * SECOND).addedMicros()).isEqualTo(2 * TOKEN);
  }

  @Test
  void whoIsAloneAgainGetsTheWholeBack() {
    terms = LEASED;
    renew("a", 1, 0, 1, 0);
    renew("b", 1, 0, 5, 0);
    accruing("a", 2, 2 * TOKEN, 2, SECOND);
    renew("a", 3, 2 * TOKEN, 2, SECOND);
    state = QuotaDivision.release(state, "b", 2, 0, SECOND);

    Grant grant = renew("a", 4, 2 * TOKEN, 2, 2 * SECOND);
    assertThat(grant.rate()).isEqualTo(quota.rate());
    assertThat(grant.addedMicros()).isEqualTo(TOKEN);
  }

  @Test
  void aChangeNeverMintsAndNeverGrantsNegatively() {
    renew("a", 1, 0, 3, 0);
    change("1/s", 1);
    Grant less = renew("a", 2, 3 * TOKEN, 9, 0);
    assertThat(less.addedMicros()).isZero();
    assertThat(less.cap()).isEqualTo(1);
    assertThat(state.poolMicros()).isZero();

    renew("a", 3, TOKEN, 1, 0);
    change("100/s", 50);
    assertThat(state.poolMicros()).isZero();
    assertThat(renew("a", 4, TOKEN, 50, SECOND / 10).addedMicros()).isEqualTo(10 * TOKEN);
  }

  @Test
  void anOlderConfigurationIsIgnored() {
    change("9/s", 9);
    Step step =
        QuotaDivision.renew(
            state,
            new Renewal("late", 1, false, 0, 1, new Quota("q", Rate.parse("1/s"), 4), 1),
            terms,
            0);
    assertThat(step.state().quota()).isEqualTo(quota);
  }

  @Test
  void rateZeroPromisesNothingAndUnlimitedEverything() {
    renew("a", 1, 0, 4, 0);
    change("0", 4);
    assertThat(renew("a", 2, 0, 4, 9 * SECOND).nextInMs()).isEqualTo(-1);
    change("unlimited", 4);
    assertThat(renew("a", 3, 0, 4, 9 * SECOND).rate()).isEqualTo(Rate.UNLIMITED);
    assertThat(renew("b", 1, 0, 4, 9 * SECOND).rate()).isEqualTo(Rate.UNLIMITED);
    change("1/s", 4);
    assertThat(state.poolMicros()).isZero();
    assertThat(renew("b", 2, 0, 4, 99 * SECOND).addedMicros()).isZero();
  }

  private void change(String rate, int burst) {
    quota = new Quota("q", Rate.parse(rate), burst);
    version++;
    state = QuotaDivision.reconfigured(state, quota, version);
  }

  private Grant renew(String holder, long sequence, long leftMicros, int demand, long now) {
    return ask(new Renewal(holder, sequence, false, leftMicros, demand, quota, version), now);
  }

  private Grant accruing(String holder, long sequence, long leftMicros, int demand, long now) {
    return ask(new Renewal(holder, sequence, true, leftMicros, demand, quota, version), now);
  }

  private Grant ask(Renewal request, long now) {
    Step step = QuotaDivision.renew(state, request, terms, now);
    state = step.state();
    return step.grant();
  }
}
