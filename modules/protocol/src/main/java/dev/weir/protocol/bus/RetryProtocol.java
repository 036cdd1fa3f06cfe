package dev.weir.protocol.bus;

import dev.weir.protocol.store.ClaimId;
import dev.weir.protocol.store.DeliveryStore.Claimed;
import dev.weir.protocol.store.DeliveryStore.Settlement;
import java.util.List;

/** What the retry verticle is told. It repeats each until the store has said what became of it. */
public sealed interface RetryProtocol {

  /**
   * Record outcomes; answered by {@link SubscriberProtocol.Settled}.
   *
   * @param settlements of one subscriber, 1 or more
   */
  record Settle(int partition, List<Settlement> settlements) implements RetryProtocol {
    public Settle {
      settlements = List.copyOf(settlements);
    }
  }

  /**
   * Give back what was not started; answered by {@link SubscriberProtocol.Released}.
   *
   * @param unstarted of this one claim and one subscriber, 1 or more
   */
  record Release(int partition, ClaimId claim, List<Claimed> unstarted) implements RetryProtocol {
    public Release {
      unstarted = List.copyOf(unstarted);
    }
  }
}
