package dev.weir.node;

import dev.weir.protocol.store.ConfigStore;
import dev.weir.protocol.store.ConfigStore.SubscriberSetup;
import io.vertx.core.AsyncResult;
import java.util.Optional;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * When a subscriber's verticle reads its configuration: at its start, and soon after it was told or
 * saw that it changed; repeated while the store doesn't answer. One read at a time. Lives on its
 * subscriber's context.
 */
final class SetupReader {

  static final long NEVER = Long.MAX_VALUE;

  private static final Logger LOG = LoggerFactory.getLogger(SetupReader.class);

  private static final long NANOS_PER_MILLI = 1_000_000;

  /** However many hints come. */
  private static final long EVERY_NANOS = 200 * NANOS_PER_MILLI;

  private final String subscriber;
  private final ConfigStore config;
  private final Consumer<Optional<SubscriberSetup>> use;
  private final Runnable turn;
  private final StoreBackoff backoff = new StoreBackoff();

  private boolean reading;
  private boolean due;
  private long dueNanos;
  private long lastNanos;

  /**
   * @param use takes what was read; empty when there is no such subscriber
   * @param turn to take after each read, good or bad
   */
  SetupReader(
      String subscriber,
      ConfigStore config,
      Consumer<Optional<SubscriberSetup>> use,
      Runnable turn) {
    this.subscriber = subscriber;
    this.config = config;
    this.use = use;
    this.turn = turn;
  }

  /** Begins a read now. */
  void read() {
    reading = true;
    due = false;
    lastNanos = System.nanoTime();
    config.setup(subscriber, SubscriberVerticle.SEND_WINDOW_MS).onComplete(this::onRead);
  }

  /** Asks for a read that begins after now, as soon as the last is long enough ago. */
  void readSoon(long nowNanos) {
    readAt(Math.max(nowNanos, lastNanos + EVERY_NANOS));
  }

  /** Until {@link #read} is to be called: 0 or less when now, {@link #NEVER} when nobody asked. */
  long waitNanos(long nowNanos) {
    return due && !reading ? dueNanos - nowNanos : NEVER;
  }

  /** Whether something is still to come. */
  boolean isBusy() {
    return reading || due;
  }

  private void readAt(long atNanos) {
    if (!due || atNanos - dueNanos < 0) {
      dueNanos = atNanos;
    }
    due = true;
  }

  private void onRead(AsyncResult<Optional<SubscriberSetup>> read) {
    reading = false;
    if (read.failed()) {
      if (!backoff.isFailing()) {
        LOG.warn(
            "configuration of subscriber {} not read, repeating: {}",
            subscriber,
            read.cause().toString());
      }
      readAt(System.nanoTime() + backoff.next() * NANOS_PER_MILLI);
    } else {
      backoff.reset();
      use.accept(read.result());
    }
    turn.run();
  }
}
