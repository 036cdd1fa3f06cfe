package dev.weir.node;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.protocol.store.DeliveryStore.Limit;
import org.junit.jupiter.api.Test;

class PatienceTest {

  private static final long MS = 1_000_000;

  private final Patience patience = new Patience();

  @Test
  void aFullReplyAsksOnAtOnce() {
    patience.onReply(Limit.NONE, 0, 5, false, 0);
    assertThat(patience.askInNanos(0)).isZero();
  }

  @Test
  void anEmptyLineWaitsForItsNextOrForAHint() {
    patience.onReply(Limit.EMPTY, 70, 0, false, 0);
    assertThat(patience.askInNanos(10 * MS)).isEqualTo(60 * MS);
    patience.onReply(Limit.EMPTY, -1, 0, false, 0);
    assertThat(patience.askInNanos(0)).isEqualTo(Patience.NEVER);
    patience.onHint(0);
    assertThat(patience.askInNanos(0)).isZero();
  }

  @Test
  void aHintThatCameWhileAskingOutweighsAnEmptyReply() {
    patience.onReply(Limit.EMPTY, -1, 0, true, 0);
    assertThat(patience.askInNanos(0)).isZero();
  }

  @Test
  void itsOwnRetryBringsTheNextAskForward() {
    patience.onReply(Limit.EMPTY, -1, 1, false, 0);
    patience.onRetryIn(30, 0);
    assertThat(patience.askInNanos(0)).isEqualTo(30 * MS);
    patience.onRetryIn(90, 0);
    assertThat(patience.askInNanos(0)).isEqualTo(30 * MS);
  }

  @Test
  void theEndOfItsOwnLeasesIsNothingToStayFor() {
    patience.onReply(Limit.EMPTY, 45_000, 3, false, 0);
    patience.onEmptyHanded(100, 5 * MS);
    assertThat(patience.askInNanos(5 * MS)).isEqualTo(100 * MS);
    patience.onReply(Limit.EMPTY, -1, 0, false, 105 * MS);
    assertThat(patience.askInNanos(105 * MS)).isEqualTo(Patience.NEVER);
  }

  @Test
  void whatIsDueSoonerOrWasToldToEmptyHandsStands() {
    patience.onReply(Limit.EMPTY, 40, 3, false, 0);
    patience.onEmptyHanded(100, 0);
    assertThat(patience.askInNanos(0)).isEqualTo(40 * MS);
    patience.onReply(Limit.EMPTY, 45_000, 0, false, 0);
    patience.onEmptyHanded(100, 0);
    assertThat(patience.askInNanos(0)).isEqualTo(45_000 * MS);
    patience.onReply(Limit.EMPTY, -1, 3, false, 0);
    patience.onEmptyHanded(100, 0);
    assertThat(patience.askInNanos(0)).isEqualTo(Patience.NEVER);
  }

  @Test
  void aGateIsNeverShortened() {
    patience.closeGate(1_000, 0);
    patience.closeGate(10, 0);
    assertThat(patience.mayStart(999 * MS)).isFalse();
    assertThat(patience.mayStart(1_000 * MS)).isTrue();
    assertThat(patience.askInNanos(0)).isEqualTo(1_000 * MS);
  }

  @Test
  void hintsLookPastAClosedGateOnceASecond() {
    patience.closeGate(60_000, 0);
    patience.onHint(0);
    assertThat(patience.askInNanos(0)).isZero();
    patience.onReply(Limit.GATE, 60_000, 0, false, 0);
    patience.onHint(1);
    assertThat(patience.askInNanos(1)).isGreaterThan(59_000 * MS);
    patience.onHint(1_001 * MS);
    assertThat(patience.askInNanos(1_001 * MS)).isZero();
  }

  @Test
  void aPauseStopsBothAskingAndStarting() {
    patience.onReply(Limit.PAUSED, -1, 0, false, 0);
    assertThat(patience.mayStart(0)).isFalse();
    assertThat(patience.askInNanos(0)).isEqualTo(Patience.NEVER);
    patience.onConfig(true, 0);
    assertThat(patience.mayStart(0)).isTrue();
    assertThat(patience.askInNanos(0)).isZero();
  }

  @Test
  void aSettledAttemptEndsTheWaitForItsSlotButNotForWork() {
    patience.onReply(Limit.IN_FLIGHT, 20_000, 1, false, 0);
    patience.onSettled(0);
    assertThat(patience.askInNanos(0)).isZero();
    patience.onReply(Limit.EMPTY, -1, 1, false, 0);
    patience.onSettled(0);
    assertThat(patience.askInNanos(0)).isEqualTo(Patience.NEVER);
  }
}
