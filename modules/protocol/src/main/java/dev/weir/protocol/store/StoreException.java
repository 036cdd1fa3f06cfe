package dev.weir.protocol.store;

import org.jspecify.annotations.Nullable;

/** A store operation that did not happen, or of which nobody knows whether it did. */
public final class StoreException extends RuntimeException {

  private final Kind kind;

  public StoreException(Kind kind, String operation, String detail, @Nullable Throwable cause) {
    super(operation + ": " + detail, cause);
    this.kind = kind;
  }

  public Kind kind() {
    return kind;
  }

  /** What the caller does next. */
  public enum Kind {
    /**
     * Not connected, timed out, loading, read-only: repeat later; it may or may not have happened.
     */
    UNAVAILABLE,
    /** No room for new messages: nothing was stored, repeat later. */
    FULL,
    /** A newer process holds this store's epoch: stop claiming. */
    FENCED,
    /** A fault of ours, or a store that holds what it can't: repeating won't help. */
    BROKEN
  }
}
