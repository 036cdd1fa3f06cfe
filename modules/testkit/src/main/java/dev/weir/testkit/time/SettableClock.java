package dev.weir.testkit.time;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.concurrent.atomic.AtomicReference;

/** A clock that stands still until it is told to move. Any thread may read and move it. */
public final class SettableClock implements InstantSource {

  /** An ordinary Tuesday: no test should depend on it. */
  public static final Instant START = Instant.parse("2026-03-03T12:00:00Z");

  private final AtomicReference<Instant> now;

  public SettableClock() {
    this(START);
  }

  public SettableClock(Instant start) {
    this.now = new AtomicReference<>(start);
  }

  @Override
  public Instant instant() {
    return now.get();
  }

  /** Moves on by {@code step}; a negative one steps back, as real clocks do. */
  public void advance(Duration step) {
    now.updateAndGet(instant -> instant.plus(step));
  }

  public void set(Instant instant) {
    now.set(instant);
  }
}
