package dev.weir.node;

import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A step that is taken again and again, and never overlaps itself: the pause begins when the step
 * is over. Says once that it began to fail. Lives on the context of whoever starts it.
 */
final class Recurring {

  private static final Logger LOG = LoggerFactory.getLogger(Recurring.class);

  private final Vertx vertx;
  private final String name;
  private final Supplier<? extends Future<?>> step;
  private final LongSupplier pauseMs;

  private boolean failing;
  private boolean stopped;

  /**
   * @param name for the log, "the … failed"
   * @param pauseMs after each step, 1 or more
   */
  Recurring(Vertx vertx, String name, Supplier<? extends Future<?>> step, LongSupplier pauseMs) {
    this.vertx = vertx;
    this.name = name;
    this.step = step;
    this.pauseMs = pauseMs;
  }

  /** Takes the first step at once. */
  void start() {
    if (stopped) {
      return;
    }
    step.get()
        .onComplete(
            done -> {
              note(done.failed() ? done.cause() : null);
              vertx.setTimer(pauseMs.getAsLong(), next -> start());
            });
  }

  /** Takes no further step; one that is under way ends by itself. */
  void stop() {
    stopped = true;
  }

  private void note(@Nullable Throwable failure) {
    if (failure != null && !failing) {
      LOG.warn("the {} failed, repeating: {}", name, failure.toString());
    }
    failing = failure != null;
  }
}
