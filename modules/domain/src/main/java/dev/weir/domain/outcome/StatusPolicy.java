package dev.weir.domain.outcome;

import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * A subscriber's own reading of status codes, over the default table of {@link AnswerTable}.
 *
 * @param byStatus status (300 to 599) to treatment
 */
public record StatusPolicy(Map<Integer, Treatment> byStatus) {

  public static final StatusPolicy DEFAULT = new StatusPolicy(Map.of());

  public StatusPolicy {
    for (int status : new TreeMap<>(byStatus).keySet()) {
      if (status < 300 || status > 599) {
        throw new IllegalArgumentException(
            "statusPolicy takes status codes 300 to 599, not " + status);
      }
    }
    byStatus = Map.copyOf(byStatus);
  }

  public Optional<Treatment> of(int status) {
    return Optional.ofNullable(byStatus.get(status));
  }

  /** What to do with a status. */
  public enum Treatment {
    RETRY,
    DEAD,
    /** Schedule a retry and pause the subscriber until a person resumes it. */
    PAUSE
  }
}
