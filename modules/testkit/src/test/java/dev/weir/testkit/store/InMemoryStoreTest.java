package dev.weir.testkit.store;

import dev.weir.protocol.store.PublishStore.Publication;
import dev.weir.protocol.store.Store;
import dev.weir.testkit.time.SettableClock;
import java.time.Duration;

class InMemoryStoreTest extends StoreContract {

  @Override
  protected Harness start() {
    SettableClock clock = new SettableClock();
    InMemoryStore store = new InMemoryStore(clock);
    return new Harness() {
      @Override
      public Store store() {
        return store;
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
        return Duration.ofMillis(MemoryState.LEASE_MARGIN_MS);
      }

      @Override
      public boolean leaveUnfinished(Publication publication) {
        store.leaveUnfinished(publication);
        return true;
      }

      @Override
      public void close() {}
    };
  }
}
