package dev.weir.domain.outcome;

import org.jspecify.annotations.Nullable;

/** What came back from one attempt. */
public sealed interface Answer {

  /**
   * A status line arrived.
   *
   * @param code the status, whatever the server sent
   * @param retryAfter the header as received, null when absent
   * @param date the response's own {@code Date}, null when absent
   * @param location the {@code Location} header, null when absent
   */
  record Status(
      int code, @Nullable String retryAfter, @Nullable String date, @Nullable String location)
      implements Answer {

    public static Status of(int code) {
      return new Status(code, null, null, null);
    }

    public Status withRetryAfter(@Nullable String value) {
      return new Status(code, value, date, location);
    }
  }

  /** The request was never written: it can't have had an effect. */
  record NotSent(ErrorClass error, String detail) implements Answer {}

  /** The request was written and no status line arrived: nobody can say what it did. */
  record NoAnswer(ErrorClass error, String detail) implements Answer {}

  /** Bounded names for what went wrong, used as metric label and in traces. */
  enum ErrorClass {
    DNS,
    CONNECT,
    TLS,
    CERTIFICATE,
    TIMEOUT,
    RESET,
    /** The answer was not HTTP. */
    PROTOCOL,
    /** This node had no room (its own wait queue was full). */
    LOCAL,
    /** This node stopped before the answer came. */
    DRAINED,
    UNKNOWN
  }
}
