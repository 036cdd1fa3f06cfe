package dev.weir.testkit.store;

import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatNoException;

import dev.weir.protocol.store.ConfigStore;
import dev.weir.protocol.store.DeliveryStore;
import dev.weir.protocol.store.DeliveryStore.SettleReply;
import dev.weir.protocol.store.DeliveryStore.Settled;
import dev.weir.protocol.store.InspectionStore;
import dev.weir.protocol.store.PublishStore;
import dev.weir.protocol.store.Store;
import dev.weir.testkit.time.SettableClock;
import io.vertx.core.Future;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** The comparison with the model finds faults that are planted. */
class ModelRunTest {

  private final SettableClock clock = new SettableClock();
  private final InMemoryStore sound = new InMemoryStore(clock);

  @Test
  void aSoundStorePasses() {
    assertThatNoException().isThrownBy(() -> run(sound.deliveries()));
  }

  @Test
  void anOutcomeThatIsAcknowledgedButNotRecordedIsFound() {
    expectFound(
        (method, number) ->
            method.equals("settle") && number == 40
                ? Future.succeededFuture(List.of(new SettleReply(Settled.APPLIED, 0)))
                : null);
  }

  @Test
  void aReleaseThatDoesNotHappenIsFound() {
    expectFound(
        (method, number) ->
            method.equals("release") && number <= 8 ? Future.succeededFuture() : null);
  }

  @Test
  void aRecoveryThatDoesNotHappenIsFound() {
    expectFound((method, number) -> method.equals("recover") ? Future.succeededFuture(0) : null);
  }

  /** Answers a call instead of the store, or null to leave it alone. */
  private interface Lie {
    @Nullable Future<?> instead(String method, int number);
  }

  private void expectFound(Lie lie) {
    assertThatExceptionOfType(AssertionError.class).isThrownBy(() -> run(lying(lie)));
  }

  private DeliveryStore lying(Lie lie) {
    Map<String, Integer> calls = new HashMap<>();
    InvocationHandler handler =
        (proxy, method, arguments) -> {
          int number = calls.merge(method.getName(), 1, Integer::sum);
          Future<?> instead = lie.instead(method.getName(), number);
          return instead != null ? instead : method.invoke(sound.deliveries(), arguments);
        };
    return (DeliveryStore)
        Proxy.newProxyInstance(
            DeliveryStore.class.getClassLoader(), new Class<?>[] {DeliveryStore.class}, handler);
  }

  private void run(DeliveryStore deliveries) {
    new ModelRun(new StoreBench(new OnMemory(clock, sound, deliveries)), 4).run(400);
  }

  /** The sound store with other deliveries. */
  private record OnMemory(SettableClock clock, InMemoryStore sound, DeliveryStore deliveries)
      implements StoreContract.Harness, Store {

    @Override
    public Store store() {
      return this;
    }

    @Override
    public PublishStore publishes() {
      return sound.publishes();
    }

    @Override
    public ConfigStore config() {
      return sound.config();
    }

    @Override
    public InspectionStore inspection() {
      return sound.inspection();
    }

    @Override
    public Health health() {
      return sound.health();
    }

    @Override
    public boolean clockIsSettable() {
      return true;
    }

    @Override
    public void advance(Duration step) {
      clock.advance(step);
    }

    @Override
    public long nowMs() {
      return clock.millis();
    }

    @Override
    public Duration leaseMargin() {
      return Duration.ofSeconds(15);
    }

    @Override
    public void close() {}
  }
}
