package dev.weir.protocol.store;

/**
 * Names one claim. Compared whole: whoever settles with another one is stale.
 *
 * @param epoch the store epoch (fencing token) under which the claiming process runs
 * @param incarnation names the process, unique over restarts; {@code [A-Za-z0-9_-]+}
 * @param nonce counts up within the process, one per claim call
 */
public record ClaimId(long epoch, String incarnation, long nonce) {

  @Override
  public String toString() {
    return epoch + "." + incarnation + "." + nonce;
  }
}
