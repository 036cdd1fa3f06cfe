package dev.weir.scenarios.demo;

import io.vertx.core.json.JsonObject;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Who takes part in the demo, and how the receiver plays each. */
public final class Cast {

  /** How long {@link #OUTAGE} is down, from the first publish. */
  private static final String DOWN_FOR = "6s";

  static final String SHARED_QUOTA = "vendor_account";

  static final Member FAST = new Member("store_fast", "/fast", 41, "200/s", null);

  /** Configured at twice what its API takes. */
  static final Member STRICT = new Member("store_strict", "/strict", 6, "20/s", null);

  static final Member NORTH = new Member("store_north", "/vendor/north", 15, null, SHARED_QUOTA);
  static final Member SOUTH = new Member("store_south", "/vendor/south", 10, null, SHARED_QUOTA);
  static final Member OUTAGE = new Member("store_outage", "/outage", 14, "50/s", null);
  static final Member PICKY = new Member("store_picky", "/picky", 14, "40/s", null);

  public static final List<Member> MEMBERS = List.of(FAST, STRICT, NORTH, SOUTH, OUTAGE, PICKY);

  static final String SHARED_RATE = "30/s";

  public static final String SCRIPT =
      """
      # What each subscriber of the demo answers.
      paths:
        - path: /strict          # the real limit: half of what is configured
          rules:
            - answer: {rateLimit: {rate: 10/s, burst: 2, retryAfter: seconds}}
        - path: /outage          # down for a while
          rules:
            - match: {until: %s}
              answer: {status: 503, body: "down for maintenance"}
        - path: /picky           # rejects one in ten for good
          rules:
            - match: {every: 10}
              answer: {status: 422, body: "no such shipment"}
      """
          .formatted(DOWN_FOR);

  private Cast() {}

  /**
   * @param weight how many of a hundred messages it gets
   * @param rate of its own quota; null when it shares {@code quota}
   */
  public record Member(
      String id, String path, int weight, @Nullable String rate, @Nullable String quota) {

    /** What the quota that paces it is called. */
    String quotaId() {
      return quota == null ? id : quota;
    }

    public JsonObject configuration(String endpoint) {
      JsonObject json = new JsonObject().put("endpoint", endpoint).put("stampAttempts", true);
      return quota == null ? json.put("rate", rate) : json.put("quota", quota);
    }
  }

  public static JsonObject sharedQuota() {
    return new JsonObject().put("rate", SHARED_RATE);
  }

  public static String sharedQuotaId() {
    return SHARED_QUOTA;
  }
}
