package dev.weir.testkit.store;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.protocol.store.StoreException;
import dev.weir.protocol.store.StoreException.Kind;
import dev.weir.testkit.store.FaultyStore.Hold;
import dev.weir.testkit.time.SettableClock;
import io.vertx.core.Future;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class FaultyStoreTest {

  private final InMemoryStore real = new InMemoryStore(new SettableClock());
  private final FaultyStore faulty = new FaultyStore(real);

  @BeforeEach
  void addSubscriber() {
    real.config().putSubscriber(StoreBench.subscriber("a"), StoreBench.quota("a", "unlimited", 2));
  }

  private Future<Boolean> pause() {
    return faulty.config().pause("a", "by the test");
  }

  private boolean isPaused() {
    return real.config().subscriber("a").result().orElseThrow().reason() != null;
  }

  @Test
  void withoutFaultsEveryCallPasses() {
    assertThat(pause().result()).isTrue();
    assertThat(faulty.calls("pause")).isEqualTo(1);
    assertThat(faulty.calls("claim")).isZero();
  }

  @Test
  void aFailedCallDoesNotHappen() {
    faulty.on("pause").nth(2).fail(Kind.FULL);
    assertThat(pause().succeeded()).isTrue();
    faulty.config().resume("a");
    assertThat(((StoreException) pause().cause()).kind()).isEqualTo(Kind.FULL);
    assertThat(isPaused()).isFalse();
    assertThat(pause().succeeded()).isTrue();
  }

  @Test
  void aLostReplyHidesWhatHappened() {
    faulty.on("pause").next(1).loseReply();
    assertThat(((StoreException) pause().cause()).kind()).isEqualTo(Kind.UNAVAILABLE);
    assertThat(isPaused()).isTrue();
    assertThat(pause().succeeded()).isTrue();
  }

  @Test
  void aHeldCallHappensWhenItIsReleased() {
    Hold hold = faulty.on("pause").always().hold();
    Future<Boolean> held = pause();
    assertThat(hold.reached().succeeded()).isTrue();
    assertThat(held.isComplete()).isFalse();
    assertThat(isPaused()).isFalse();
    hold.release();
    assertThat(held.result()).isTrue();
    assertThat(isPaused()).isTrue();
  }

  @Test
  void aHeldReplyComesWhenItIsReleased() {
    Hold hold = faulty.on("pause").always().holdReply();
    Future<Boolean> held = pause();
    assertThat(isPaused()).isTrue();
    assertThat(held.isComplete()).isFalse();
    hold.release();
    assertThat(held.result()).isTrue();
  }

  @Test
  void aStoreThatIsGoneComesBackWhenHealed() {
    faulty.on(FaultyStore.ANY).always().fail(Kind.UNAVAILABLE);
    faulty.unready("gone");
    assertThat(pause().failed()).isTrue();
    assertThat(faulty.deliveries().beginEpoch().failed()).isTrue();
    assertThat(faulty.health().ready()).isFalse();
    faulty.heal();
    assertThat(pause().succeeded()).isTrue();
    assertThat(faulty.health().ready()).isTrue();
  }
}
