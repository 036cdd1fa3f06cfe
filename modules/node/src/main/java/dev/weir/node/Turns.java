package dev.weir.node;

import java.util.HashMap;
import java.util.Iterator;
import java.util.Map;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Whose script the store is given next: a few at a time, earliest deadline first. The store runs
 * one script after the other, so what is sent to it stands in a line that nobody can overtake; kept
 * short, it is not what a subscriber in a hurry waits for when a thousand others come at once.
 *
 * <p>Lives on its verticle's context.
 *
 * @param <T> who takes turns
 */
final class Turns<T extends Comparable<T>> {

  private record Place<T extends Comparable<T>>(T who, long inNanos)
      implements Comparable<Place<T>> {
    @Override
    public int compareTo(Place<T> other) {
      int byDeadline = Long.compare(inNanos, other.inNanos);
      return byDeadline != 0 ? byDeadline : who.compareTo(other.who);
    }
  }

  private final int atOnce;
  private final long originNanos;
  private final TreeSet<Place<T>> line = new TreeSet<>();
  private final Map<T, Place<T>> places = new HashMap<>();
  private int taken;

  /**
   * @param atOnce turns that may be taken at a time, 1 or more
   */
  Turns(int atOnce) {
    this.atOnce = atOnce;
    this.originNanos = System.nanoTime();
  }

  /** Wants a turn by then, monotonic; who stands in line already keeps the earlier deadline. */
  void want(T who, long deadlineNanos) {
    Place<T> place = new Place<>(who, deadlineNanos - originNanos);
    Place<T> known = places.get(who);
    if (known == null || place.inNanos < known.inNanos) {
      if (known != null) {
        line.remove(known);
      }
      line.add(place);
      places.put(who, place);
    }
  }

  /** Takes a turn for the first in line; null when nobody wants one, or all are taken. */
  @Nullable T next() {
    if (taken >= atOnce || line.isEmpty()) {
      return null;
    }
    Iterator<Place<T>> first = line.iterator();
    T who = first.next().who;
    first.remove();
    places.remove(who);
    taken++;
    return who;
  }

  /** A turn that was taken is over. */
  void over() {
    if (taken == 0) {
      throw new IllegalStateException("no turn is taken");
    }
    taken--;
  }
}
