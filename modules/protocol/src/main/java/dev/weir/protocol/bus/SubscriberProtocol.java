package dev.weir.protocol.bus;

import dev.weir.protocol.store.DeliveryStore.ClaimReply;
import dev.weir.protocol.store.DeliveryStore.SettleReply;
import java.util.List;

/** What a subscriber's verticle is told by its dispatcher and by the retry verticle. */
public sealed interface SubscriberProtocol {

  /**
   * The answer to its demand.
   *
   * @param askedNanos monotonic instant before the claim was first sent: the send window counts
   *     from here
   * @param horizonNanos how far ahead of its tokens a subscriber asks, by how long claims take now
   */
  record Work(ClaimReply reply, long askedNanos, long horizonNanos) implements SubscriberProtocol {}

  /** Something may be due. */
  record Wake() implements SubscriberProtocol {}

  /** Read the configuration again. */
  record Changed() implements SubscriberProtocol {}

  /** Settlements whose result is known now. */
  record Settled(List<Item> items) implements SubscriberProtocol {
    public Settled {
      items = List.copyOf(items);
    }
  }

  /**
   * @param sequence and {@code claimNonce} name the attempt that was settled
   * @param retryInMs when the same delivery is due again; -1 when it isn't
   */
  record Item(long sequence, long claimNonce, long retryInMs, SettleReply reply) {}

  /** Deliveries that were given back. */
  record Released(List<Given> items) implements SubscriberProtocol {
    public Released {
      items = List.copyOf(items);
    }
  }

  /** Names one delivery that was given back, by sequence and the nonce of its claim. */
  record Given(long sequence, long claimNonce) {}

  /**
   * Start nothing more, give back what isn't started.
   *
   * @param resetAtNanos monotonic instant at which exchanges still under way are reset
   */
  record Drain(long resetAtNanos) implements SubscriberProtocol {}
}
