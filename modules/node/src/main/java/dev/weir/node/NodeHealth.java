package dev.weir.node;

import org.jspecify.annotations.Nullable;

/** Whether this node delivers, and if not, why. Set by its verticles, read from anywhere. */
final class NodeHealth {

  private volatile boolean begun;
  private volatile @Nullable String stopped;

  void begun() {
    begun = true;
  }

  /** For good: only a restart changes it. The first reason stays. */
  void stopped(String reason) {
    if (stopped == null) {
      stopped = reason;
    }
  }

  boolean isStopped() {
    return stopped != null;
  }

  /** Empty when it delivers. */
  String reason() {
    String why = stopped;
    if (why != null) {
      return why;
    }
    return begun ? "" : "starting: the store epoch is not taken yet";
  }
}
