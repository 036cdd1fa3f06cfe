package dev.weir.scenarios.demo;

import java.util.List;

/**
 * The demo at one moment.
 *
 * @param published publishes answered so far, of {@code messages}
 * @param settled delivered and dead deliveries, of {@code accepted}
 * @param perSecond deliveries settled in the last second
 */
public record DemoView(
    int published,
    int messages,
    long accepted,
    long settled,
    double perSecond,
    long status429,
    long elapsedMs,
    List<Line> lines) {

  public DemoView {
    lines = List.copyOf(lines);
  }

  /**
   * @param why it waits; empty when nothing does
   */
  public record Line(String subscriber, long delivered, long dead, long waiting, String why) {}

  /** Of all that is to be settled, as far as it is known while publishing goes on. */
  double fraction() {
    if (accepted == 0) {
      return 0;
    }
    double expected = published == 0 ? accepted : (double) accepted * messages / published;
    return Math.min(1, settled / expected);
  }
}
