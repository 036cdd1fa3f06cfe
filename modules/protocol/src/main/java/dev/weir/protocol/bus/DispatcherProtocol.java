package dev.weir.protocol.bus;

import java.util.List;

/** What a dispatcher is told: hints from anywhere, demand from its subscribers. */
public sealed interface DispatcherProtocol {

  /** These subscribers of this lane have something to do. A hint: losing it costs time only. */
  record Wake(List<String> subscribers) implements DispatcherProtocol {
    public Wake {
      subscribers = List.copyOf(subscribers);
    }
  }

  /**
   * The time of these subscribers of this lane has come. Who has a verticle knows that by itself
   * and is left alone; the others get one.
   */
  record BringUp(List<String> subscribers) implements DispatcherProtocol {
    public BringUp {
      subscribers = List.copyOf(subscribers);
    }
  }

  /** This subscriber's configuration, state, quota or gate changed. A hint too. */
  record Changed(String subscriber) implements DispatcherProtocol {}

  /**
   * A subscriber can start {@code count} attempts. Answered once, by {@link
   * SubscriberProtocol.Work}; at most one is outstanding per subscriber.
   *
   * @param partition where the subscriber lives
   * @param count 1 or more
   * @param heldAttempts deliveries it holds already
   * @param heldBytes bytes of their bodies
   * @param deadlineNanos monotonic instant by which it would like them: who sends often is sooner
   *     late than who sends rarely
   */
  record Demand(
      String subscriber,
      int partition,
      int count,
      int heldAttempts,
      long heldBytes,
      long deadlineNanos)
      implements DispatcherProtocol {}

  /**
   * A subscriber holds nothing and expects nothing for a while: undeploy it, unless it was sent a
   * hint that it hadn't seen when it said so.
   *
   * @param hintsSeen how many hints had reached it since it was deployed
   */
  record Idle(String subscriber, long hintsSeen) implements DispatcherProtocol {}

  /** The store epoch has begun: claims may start. */
  record Begin(long epoch) implements DispatcherProtocol {}

  /**
   * Stop claiming and empty the lane; replied to with {@link Drained} when no subscriber is left.
   *
   * @param resetAtNanos monotonic instant at which exchanges still under way are reset
   */
  record Drain(long resetAtNanos) implements DispatcherProtocol {}

  /** The lane is empty. */
  record Drained() implements DispatcherProtocol {}
}
