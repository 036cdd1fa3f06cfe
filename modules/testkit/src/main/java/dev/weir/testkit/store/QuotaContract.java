package dev.weir.testkit.store;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.domain.quota.Quota;
import dev.weir.domain.subscriber.Subscriber;
import dev.weir.protocol.store.ConfigStore.PutSubscriber;
import dev.weir.protocol.store.DeliveryStore.ClaimReply;
import dev.weir.protocol.store.DeliveryStore.Claimed;
import dev.weir.protocol.store.DeliveryStore.Limit;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The evidence of spent tokens. Slow rates stand still while a test runs. */
interface QuotaContract extends ContractChapter {

  /** What a slow rate may gain while a test runs, in micro-tokens. */
  long DRIFT = 10_000;

  @Test
  default void aQuotaBeginsFullAndSpendsOnePerClaim() {
    bench().addPaced("a", "1/h", 5);
    assertThat(bench().level("a")).isEqualTo(5 * StoreBench.TOKEN);
    bench().publishMany("m", 9, "a");
    bench().claim("a", 2);
    assertLevel("a", 3);
    bench().claim("a", 3);
    assertLevel("a", 0);
  }

  private void assertLevel(String quotaId, long tokens) {
    assertThat(bench().level(quotaId))
        .as("tokens in hand of %s", quotaId)
        .isBetween(
            Math.max(0, tokens * StoreBench.TOKEN - DRIFT), tokens * StoreBench.TOKEN + DRIFT);
  }

  @Test
  default void noMoreAreClaimedThanThereAreTokens() {
    bench().addPaced("a", "1/h", 3);
    bench().publishMany("m", 5, "a");
    ClaimReply reply = bench().claim("a", 5);
    assertThat(reply.deliveries()).hasSize(3);
    assertThat(reply.limit()).isEqualTo(Limit.QUOTA);
    assertThat(reply.nextInMs()).isBetween(StoreBench.HOUR_MS - 60_000, StoreBench.HOUR_MS);
    ClaimReply spent = bench().claim("a", 1);
    assertThat(spent.deliveries()).isEmpty();
    assertThat(spent.limit()).isEqualTo(Limit.QUOTA);
  }

  @Test
  default void tokensComeBackAtTheRate() {
    bench().addPaced("a", "20/s", 2);
    bench().publishMany("m", 9, "a");
    bench().claim("a", 2);
    bench().advanceMs(200);
    assertThat(bench().level("a")).isEqualTo(2 * StoreBench.TOKEN);
    assertThat(bench().claim("a", 9).deliveries().size()).isBetween(2, 5);
  }

  @Test
  default void overHoursTheBackstopGivesExactlyTheRate() {
    bench().needsSettableClock();
    bench()
        .add(
            StoreBench.withCap(StoreBench.subscriber("a"), Subscriber.MAX_IN_FLIGHT),
            StoreBench.quota("a", "7/min", 3));
    int claimed = 0;
    for (int minute = 0; minute < 120; minute++) {
      bench().publishMany("m" + minute + "-", 8, "a");
      for (int step = 0; step < 7; step++) {
        List<Claimed> got = bench().claim("a", 8).deliveries();
        claimed += got.size();
        got.forEach(one -> bench().applies(one, StoreBench.delivered()));
        bench().advance(Duration.ofMillis(60_000 / 7 + (step == 6 ? 3 : 0)));
      }
    }
    assertThat(claimed).isBetween(7 * 120 - 1, 7 * 120 + 4);
  }

  @Test
  default void whatMayStillBeSentIsNotInHand() {
    bench().addPaced("a", "1/h", 5);
    bench().publishMany("m", 1, "a");
    assertThat(bench().claim("a", 1).deliveries()).hasSize(1);
    long hourLess = bench().call(() -> bench().store().config().level("a", StoreBench.HOUR_MS));
    assertThat(hourLess).isBetween(3 * StoreBench.TOKEN, 3 * StoreBench.TOKEN + DRIFT);
    long nothing = bench().call(() -> bench().store().config().level("a", 10 * StoreBench.HOUR_MS));
    assertThat(nothing).isZero();
    assertThat(bench().level("nobody")).isEqualTo(-1);
  }

  @Test
  default void aQuotaThatWasIdleIsFullWhateverTheWindow() {
    bench().addPaced("a", "10/s", 3);
    long level = bench().call(() -> bench().store().config().level("a", StoreBench.HOUR_MS));
    assertThat(level).isEqualTo(3 * StoreBench.TOKEN);
  }

  @Test
  default void anUnlimitedQuotaNeverBinds() {
    bench().add("a");
    bench().publishMany("m", 30, "a");
    assertThat(bench().claim("a", 30).deliveries()).hasSize(30);
  }

  @Test
  default void twoSubscribersSpendOneQuota() {
    bench().addSharing("account", "1/h", 3, "a", "b");
    bench().publishMany("m", 4, "a", "b");
    assertThat(bench().claim("a", 2).deliveries()).hasSize(2);
    ClaimReply other = bench().claim("b", 2);
    assertThat(other.deliveries()).hasSize(1);
    assertThat(other.limit()).isEqualTo(Limit.QUOTA);
    assertLevel("account", 0);
    assertThat(bench().claim("a", 1).limit()).isEqualTo(Limit.QUOTA);
  }

  @Test
  default void puttingTheSameQuotaAgainGivesNothingBack() {
    bench().addPaced("a", "1/h", 4);
    bench().publishMany("m", 9, "a");
    bench().claim("a", 3);
    reput("a", "1/h", 4);
    assertLevel("a", 1);
    assertThat(bench().claim("a", 9).deliveries()).hasSize(1);
  }

  private void reput(String id, String rate, int burst) {
    Quota quota = StoreBench.quota(id, rate, burst);
    assertThat(bench().put(StoreBench.subscriber(id), quota)).isEqualTo(PutSubscriber.REPLACED);
    assertThat(bench().view(id).quota()).isEqualTo(quota);
  }

  @Test
  default void aLargerBurstMintsNoTokens() {
    bench().addPaced("a", "1/h", 3);
    bench().publishMany("m", 3, "a");
    bench().claim("a", 3);
    reput("a", "1/h", 50);
    assertLevel("a", 0);
  }

  @Test
  default void aSmallerBurstClipsWhatIsInHand() {
    bench().addPaced("a", "1/h", 50);
    reput("a", "1/h", 2);
    assertLevel("a", 2);
    reput("a", "1/h", 50);
    assertLevel("a", 2);
  }

  @Test
  default void anotherRateKeepsWhatIsInHand() {
    bench().addPaced("a", "1/h", 6);
    bench().publishMany("m", 4, "a");
    bench().claim("a", 4);
    reput("a", "1/day", 6);
    assertLevel("a", 2);
    reput("a", "7/h", 6);
    assertLevel("a", 2);
  }

  @Test
  default void aRateOfZeroAndBackGivesNoNewBurst() {
    bench().addPaced("a", "1/h", 4);
    bench().publishMany("m", 9, "a");
    bench().claim("a", 4);
    reput("a", "0", 4);
    assertThat(bench().view("a").state()).isEqualTo(Subscriber.State.PAUSED);
    assertThat(bench().view("a").reason()).isEqualTo("rate is 0");
    assertThat(bench().claim("a", 1).limit()).isEqualTo(Limit.PAUSED);
    reput("a", "1/h", 4);
    assertThat(bench().view("a").state()).isEqualTo(Subscriber.State.ACTIVE);
    assertLevel("a", 0);
    assertThat(bench().claim("a", 1).limit()).isEqualTo(Limit.QUOTA);
  }

  @Test
  default void aSharedRateOfZeroGivesNobodyAnything() {
    bench().addSharing("account", "0", 3, "a");
    bench().publish("m", "a");
    ClaimReply reply = bench().claim("a", 1);
    assertThat(reply.deliveries()).isEmpty();
    assertThat(reply.limit()).isEqualTo(Limit.QUOTA);
    assertThat(reply.nextInMs()).isEqualTo(-1);
  }

  @Test
  default void puttingASharedQuotaKeepsItsLevelAndTellsItsHolders() {
    bench().addSharing("account", "1/h", 5, "a", "b");
    bench().publishMany("m", 9, "a");
    bench().claim("a", 4);
    long ofA = bench().view("a").version();
    long ofB = bench().view("b").version();
    bench().call(() -> bench().store().config().putQuota(StoreBench.quota("account", "2/h", 9)));
    assertLevel("account", 1);
    assertThat(bench().view("a").version()).isGreaterThan(ofA);
    assertThat(bench().view("b").version()).isGreaterThan(ofB);
    assertThat(bench().claim("b", 1).configVersion()).isEqualTo(bench().view("b").version());
  }

  @Test
  default void aReleasedClaimsTokensComeBack() {
    bench().addPaced("a", "1/h", 3);
    bench().publishMany("m", 3, "a");
    List<Claimed> claimed = bench().claim("a", 3).deliveries();
    bench().release(claimed.subList(1, 3));
    assertLevel("a", 2);
    bench().release(claimed.subList(1, 3));
    assertLevel("a", 2);
  }

  @Test
  default void aReleaseNeverGivesBackMoreThanWasTrulyLeft() {
    bench().needsSettableClock();
    bench().addPaced("a", "1/s", 2);
    bench().publishMany("m", 3, "a");
    List<Claimed> unstarted = bench().claim("a", 2).deliveries();
    bench().advance(Duration.ofSeconds(1));
    bench().claimOne("a");
    bench().release(unstarted);
    assertThat(bench().level("a")).isEqualTo(StoreBench.TOKEN);
  }

  @Test
  default void recoveredClaimsGiveNoTokensBack() {
    bench().addPaced("a", "1/h", 3);
    bench().publishMany("m", 3, "a");
    bench().claim("a", 2);
    assertThat(bench().recover("a", bench().beginEpoch())).isEqualTo(2);
    assertLevel("a", 1);
  }
}
