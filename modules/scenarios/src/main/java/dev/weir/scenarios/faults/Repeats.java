package dev.weir.scenarios.faults;

import dev.weir.receiver.Arrival;
import dev.weir.receiver.Arrivals;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * Requests that repeat one the receiver had already taken. At least once allows them for one reason
 * only: the earlier one was on its way, or its settle was, when a blow fell.
 *
 * @param count all of them
 * @param unexplained those that no blow explains, each in a sentence
 */
public record Repeats(long count, List<String> unexplained) {

  /**
   * After the answer a settle is on its way for this long at most; then the outcome is durable and
   * a repeat is a fault.
   */
  static final long SETTLE_MICROS = 1_000_000;

  public Repeats {
    unexplained = List.copyOf(unexplained);
  }

  /**
   * When a blow fell and when its victim was gone or back, epoch µs.
   *
   * @param untilMicros for a kill the same instant; for an end in good order or an outage, its end
   */
  public record Window(long fromMicros, long untilMicros) {}

  public static Repeats in(Arrivals arrivals, List<Window> blows) {
    long count = 0;
    List<String> unexplained = new ArrayList<>();
    for (List<Arrival> sameKey : arrivals.byKey().values()) {
      List<Arrival> inOrder =
          sameKey.stream().sorted(Comparator.comparingLong(Arrival::seq)).toList();
      for (int i = 1; i < inOrder.size(); i++) {
        Arrival earlier = inOrder.get(i - 1);
        if (!taken(earlier)) {
          continue;
        }
        count++;
        if (blows.stream().noneMatch(blow -> hit(earlier, blow))) {
          unexplained.add(
              earlier.key()
                  + " was taken as attempt "
                  + earlier.attempt()
                  + " and sent again as attempt "
                  + inOrder.get(i).attempt()
                  + ", with no blow in between");
        }
      }
    }
    return new Repeats(count, unexplained);
  }

  /** Whether it had its effect: the receiver decided for 2xx, even if nobody heard of it. */
  private static boolean taken(Arrival arrival) {
    return arrival.result().startsWith("2");
  }

  private static boolean hit(Arrival arrival, Window blow) {
    long sent =
        arrival.sentAtNs() == Arrival.NONE ? arrival.atMicros() : arrival.sentAtNs() / 1_000;
    long answered =
        arrival.answeredNs() == Arrival.NONE ? Long.MAX_VALUE / 2 : arrival.answeredAtMicros();
    return sent <= blow.untilMicros() && answered + SETTLE_MICROS >= blow.fromMicros();
  }
}
