package dev.weir.domain.outcome;

/**
 * The reading of status lines, before budgets and delays. The status decides alone; the body never
 * does.
 *
 * <table>
 * <caption>Default reading</caption>
 * <tr><th>status</th><th>verdict</th></tr>
 * <tr><td>2xx</td><td>delivered</td></tr>
 * <tr><td>3xx</td><td>dead: redirects are never followed</td></tr>
 * <tr><td>408, 425, 429, 5xx (known or not)</td><td>retry</td></tr>
 * <tr><td>413 with a valid Retry-After</td><td>retry (RFC 9110 §15.5.14)</td></tr>
 * <tr><td>410</td><td>gone: dead, and the subscriber is disabled</td></tr>
 * <tr><td>other 4xx</td><td>dead</td></tr>
 * <tr><td>1xx as the final answer, or outside 100 to 599</td><td>not HTTP: retry</td></tr>
 * </table>
 *
 * A {@link StatusPolicy} moves a status from 300 to 599 to another verdict; a 410 that a policy
 * calls dead no longer disables the subscriber.
 */
public final class AnswerTable {

  private AnswerTable() {}

  /** What a status line comes to. */
  public enum Verdict {
    DELIVERED,
    RETRY,
    DEAD,
    /** Dead, and no other delivery will fare better: the subscriber is disabled. */
    GONE,
    /** Retry, once a person has resumed the subscriber. */
    PAUSE,
    /** No final HTTP status: retry as a protocol error. */
    NOT_HTTP
  }

  /**
   * @param code the status, whatever the server sent
   * @param validRetryAfter whether it came with a Retry-After that could be read
   */
  public static Verdict read(int code, boolean validRetryAfter, StatusPolicy policy) {
    return policy
        .of(code)
        .map(AnswerTable::asVerdict)
        .orElseGet(() -> byDefault(code, validRetryAfter));
  }

  private static Verdict asVerdict(StatusPolicy.Treatment treatment) {
    return switch (treatment) {
      case RETRY -> Verdict.RETRY;
      case DEAD -> Verdict.DEAD;
      case PAUSE -> Verdict.PAUSE;
    };
  }

  private static Verdict byDefault(int code, boolean validRetryAfter) {
    if (code < 200 || code > 599) {
      return Verdict.NOT_HTTP;
    }
    if (code < 300) {
      return Verdict.DELIVERED;
    }
    if (code >= 500) {
      return Verdict.RETRY;
    }
    return switch (code) {
      case 408, 425, 429 -> Verdict.RETRY;
      case 410 -> Verdict.GONE;
      case 413 -> validRetryAfter ? Verdict.RETRY : Verdict.DEAD;
      default -> Verdict.DEAD;
    };
  }
}
