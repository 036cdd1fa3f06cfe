package dev.weir.node;

import dev.weir.node.attempt.Exchange;
import dev.weir.protocol.bus.SubscriberProtocol.Given;
import dev.weir.protocol.store.DeliveryStore.Claimed;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The deliveries that a subscriber's verticle has in hand, each from its claim until both its
 * exchange is over and its settlement is known. Those that aren't written yet either wait for a
 * connection or stand in line for a token, oldest claim first.
 *
 * <p>Only keeps the books; lives on its subscriber's context.
 */
final class InHand {

  private final Map<Given, Held> held = new HashMap<>();
  private final Deque<Held> connected = new ArrayDeque<>();
  private int connecting;
  private long bytes;

  /** A delivery in hand. */
  static final class Held {
    private final Claimed claimed;
    private final Exchange exchange;
    private boolean answered;
    private boolean settled;

    private Held(Claimed claimed, Exchange exchange) {
      this.claimed = claimed;
      this.exchange = exchange;
    }

    Claimed claimed() {
      return claimed;
    }

    Exchange exchange() {
      return exchange;
    }

    void answered() {
      answered = true;
    }

    void settled() {
      settled = true;
    }

    /** Whether nothing more will be heard of it. */
    boolean isDone() {
      return settled && exchange.isOver();
    }

    private boolean isUnstarted() {
      return !answered && !exchange.isWritten() && !exchange.isOver();
    }
  }

  /** It was claimed and waits for a connection. */
  Held take(Claimed claimed, Exchange exchange) {
    Held one = new Held(claimed, exchange);
    held.put(key(claimed), one);
    bytes += claimed.body().length();
    connecting++;
    return one;
  }

  @Nullable Held get(Exchange exchange) {
    return held.get(key(exchange.claimed()));
  }

  @Nullable Held get(Given given) {
    return held.get(given);
  }

  private static Given key(Claimed claimed) {
    return new Given(claimed.sequence(), claimed.claim().nonce());
  }

  List<Held> all() {
    return List.copyOf(held.values());
  }

  /** It has its connection and goes to the end of the line. */
  void connected(Held one) {
    connecting--;
    connected.addLast(one);
  }

  /** The head of the line. */
  @Nullable Held nextConnected() {
    return connected.peekFirst();
  }

  /** The head of the line is about to be written. */
  void leaveLine() {
    connected.removeFirst();
  }

  /** Whoever isn't written yet. */
  List<Held> unstarted() {
    List<Held> unstarted = new ArrayList<>();
    for (Held one : held.values()) {
      if (one.isUnstarted()) {
        unstarted.add(one);
      }
    }
    return unstarted;
  }

  /** It won't be written any more; it stays in hand until it is settled or given back. */
  void withdraw(Held one) {
    if (!connected.remove(one) && one.exchange.isConnecting()) {
      connecting--;
    }
  }

  void free(Held one) {
    held.remove(key(one.claimed));
    bytes -= one.claimed.body().length();
  }

  boolean isEmpty() {
    return held.isEmpty();
  }

  int size() {
    return held.size();
  }

  /** Of their bodies. */
  long bytes() {
    return bytes;
  }

  /** Each of them will take a token. */
  int unstartedCount() {
    return connecting + connected.size();
  }
}
