package dev.weir.protocol.bus;

import java.util.List;

/**
 * Hints to the verticles that something is to be done. A lost hint costs time, never a delivery:
 * the home's sweep finds what is overdue.
 */
public interface Wakes {

  /** These subscribers have new work that is due. */
  void due(List<String> subscribers);

  /** This subscriber's configuration, state, quota or gate changed. */
  void changed(String subscriber);
}
