package dev.weir.app;

import dev.weir.node.Checkpoints;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Stops the process at a named point of a delivery's way, so that a test can kill it right there:
 * with {@code -Dweir.checkpoint=AFTER_WRITE:3} the thread that passes the point for the third time
 * says so on stderr and never goes on.
 */
final class KillPoint implements Checkpoints {

  static final String PROPERTY = "weir.checkpoint";

  private static final Pattern FORM = Pattern.compile("([A-Z_]+):([1-9]\\d{0,8})");

  private final Checkpoint point;
  private final long passing;
  private final AtomicLong passed = new AtomicLong();

  private KillPoint(Checkpoint point, long passing) {
    this.point = point;
    this.passing = passing;
  }

  /**
   * @param setting the property's value; null for none
   * @throws IllegalArgumentException saying what is allowed
   */
  static Checkpoints of(@Nullable String setting) {
    if (setting == null) {
      return NONE;
    }
    Matcher form = FORM.matcher(setting);
    if (form.matches()) {
      for (Checkpoint point : Checkpoint.values()) {
        if (point.name().equals(form.group(1))) {
          return new KillPoint(point, Long.parseLong(form.group(2)));
        }
      }
    }
    throw new IllegalArgumentException(
        PROPERTY
            + " must be POINT:N with a point of "
            + Arrays.toString(Checkpoint.values())
            + " and N from 1, was '"
            + setting
            + "'");
  }

  @Override
  public void reached(Checkpoint reached) {
    if (reached == point && passed.incrementAndGet() == passing) {
      System.err.println("checkpoint " + point + " reached");
      parkForEver();
    }
  }

  private void parkForEver() {
    while (true) {
      LockSupport.park(this); // wakes spuriously, too
    }
  }
}
