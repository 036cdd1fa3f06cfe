package dev.weir.testkit.store;

/** Where a delivery lies: in one set of its subscriber, or in the ledger for good. */
enum Place {
  READY,
  DELAYED,
  IN_FLIGHT,
  DEAD,
  RECONCILING,
  DONE,
  CANCELLED,
  PURGED;

  /** Final places are ledger entries; the others are sets. */
  boolean isFinal() {
    return this == DONE || this == CANCELLED || this == PURGED;
  }

  /** Whether a person may act on it: it is neither at work nor final. */
  boolean isWaiting() {
    return !isFinal() && this != IN_FLIGHT;
  }
}
