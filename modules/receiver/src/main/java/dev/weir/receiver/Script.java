package dev.weir.receiver;

import dev.weir.domain.quota.Rate;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What the receiver answers: per path an ordered list of rules, the first that matches wins.
 *
 * @param paths the longest path that fits a request is used; an exact one before a prefix
 * @param fallback the answer where no path or no rule fits
 */
public record Script(List<PathScript> paths, Answer fallback) {

  /** 200 to everything. */
  public static final Script ALWAYS_OK = new Script(List.of(), Answer.OK);

  public Script {
    paths = List.copyOf(paths);
  }

  /**
   * @param path begins with {@code /}, without the star of a prefix
   * @param prefix whether everything that begins with it is meant
   */
  public record PathScript(String path, boolean prefix, List<Rule> rules) {

    public PathScript {
      rules = List.copyOf(rules);
    }

    boolean fits(String requested) {
      return prefix ? requested.startsWith(path) : requested.equals(path);
    }
  }

  public record Rule(Match match, Answer answer) {}

  /**
   * When a rule applies: all conditions that are set must hold.
   *
   * @param every the n-th, 2n-th … arrival at the path; {@value #UNSET} for any
   * @param first the first n arrivals at the path
   * @param fromMs since the script began
   * @param untilMs since the script began, exclusive
   * @param attempt the number that {@code Weir-Attempt} carries (without it: how often the key
   *     arrived)
   */
  public record Match(long every, long first, long fromMs, long untilMs, long attempt) {

    static final long UNSET = -1;

    public static final Match ALWAYS = new Match(UNSET, UNSET, UNSET, UNSET, UNSET);

    /**
     * @param arrival 1 for the first at its path
     */
    boolean holds(long arrival, long elapsedMs, long attemptNumber) {
      return (every == UNSET || arrival % every == 0)
          && (first == UNSET || arrival <= first)
          && (fromMs == UNSET || elapsedMs >= fromMs)
          && (untilMs == UNSET || elapsedMs < untilMs)
          && (attempt == UNSET || attemptNumber == attempt);
    }
  }

  /**
   * @param headers values may hold {@code {date+17s}}: an HTTP date that far from now
   * @param delayMs from the end of the request to the status line
   * @param limit answered 429 when it is exceeded, and as written here otherwise
   */
  public record Answer(
      int status,
      Map<String, String> headers,
      String body,
      long delayMs,
      @Nullable Drip drip,
      Ending ending,
      @Nullable RateLimit limit) {

    public static final Answer OK = new Answer(200, Map.of(), "", 0, null, Ending.ANSWER, null);

    public Answer {
      headers = Map.copyOf(headers);
    }
  }

  /** The body in pieces of {@code bytes}, one each {@code everyMs}. */
  public record Drip(int bytes, long everyMs) {}

  /** The limit that an API really keeps, whatever its customers have configured. */
  public record RateLimit(Rate rate, int burst, RetryAfterForm retryAfter) {}

  public enum RetryAfterForm {
    SECONDS,
    DATE,
    NONE
  }

  /** How an exchange ends. */
  public enum Ending {
    ANSWER,
    /** The whole request is read, then the connection is reset (TCP RST). */
    RESET,
    /** The whole request is read, then the connection is closed without a word. */
    CLOSE,
    /** The request is read and never answered. */
    HANG
  }
}
