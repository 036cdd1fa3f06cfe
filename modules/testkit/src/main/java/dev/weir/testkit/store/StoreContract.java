package dev.weir.testkit.store;

import dev.weir.protocol.store.PublishStore.Publication;
import dev.weir.protocol.store.Store;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/**
 * What every adapter of {@link Store} must do, as callers see it. An adapter's test extends this
 * class and says how to start on an empty store. The chapters are interfaces, one per subject.
 *
 * <p>Tests that need minutes skip themselves where the clock can't be set; all others pass within
 * tens of milliseconds of real time.
 */
public abstract class StoreContract
    implements PublishContract,
        ClaimContract,
        SettleContract,
        GateContract,
        QuotaContract,
        ConfigContract,
        RecoveryContract,
        InspectionContract,
        NamesAndBytesContract,
        ModelContract {

  private @Nullable Harness harness;
  private @Nullable StoreBench bench;

  /** Starts on an empty store; called before each test. */
  protected abstract Harness start();

  @BeforeEach
  final void startBench() {
    harness = start();
    bench = new StoreBench(harness);
  }

  @AfterEach
  final void closeHarness() {
    if (harness != null) {
      harness.close();
    }
  }

  @Override
  public final StoreBench bench() {
    return Objects.requireNonNull(bench, "the bench starts before each test");
  }

  /** A store under test and its time. */
  public interface Harness extends AutoCloseable {

    Store store();

    /** Whether {@link #advance} takes no time; else tests that need minutes are skipped. */
    boolean clockIsSettable();

    /** Returns once the store's clock has moved on by {@code step}, at least. */
    void advance(Duration step);

    /** The store's clock, epoch ms. */
    long nowMs();

    /** How long a lease outlives the attempt's timeout. Real stores take a short one here. */
    Duration leaseMargin();

    /**
     * Leaves a publish as a crash right after its intent would.
     *
     * @return whether this harness can
     */
    default boolean leaveUnfinished(Publication publication) {
      return false;
    }

    /**
     * Makes a call where the store may be called (an adapter that needs a Vert.x context goes
     * there), waits for it for at most 20 s, and throws what it failed with.
     */
    default <T> T call(Supplier<Future<T>> call) {
      return await(call.get());
    }

    @Override
    void close();

    static <T> T await(Future<T> future) {
      try {
        return future
            .toCompletionStage()
            .toCompletableFuture()
            .orTimeout(20, TimeUnit.SECONDS)
            .join();
      } catch (CompletionException e) {
        if (e.getCause() instanceof RuntimeException cause) {
          throw cause;
        }
        throw e;
      }
    }

    /** For harnesses on real time: returns when {@code step} has passed on this host's clocks. */
    static void pass(Duration step) {
      long fromNanos = System.nanoTime();
      long fromMs = System.currentTimeMillis();
      while (System.nanoTime() - fromNanos <= step.toNanos()
          || System.currentTimeMillis() - fromMs <= step.toMillis()) {
        LockSupport.parkNanos(1_000_000);
      }
    }
  }
}
