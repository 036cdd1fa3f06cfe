package dev.weir.scenarios.demo;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.domain.quota.Rate;
import dev.weir.receiver.Arrival;
import dev.weir.receiver.Arrivals;
import dev.weir.scenarios.DemoReport;
import dev.weir.scenarios.demo.Verdict.Accepted;
import dev.weir.scenarios.demo.Verdict.Allowance;
import dev.weir.scenarios.demo.Verdict.Facts;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** The verdict must be red on each planted fault before its green is believed. */
class VerdictTest {

  private static final long SECOND_NS = 1_000_000_000L;
  private static final Instant START = Instant.parse("2026-12-01T10:00:00Z");
  private static final int MESSAGES = 20;

  private final Map<String, Accepted> accepted = new LinkedHashMap<>();
  private final List<JsonObject> deliveries = new ArrayList<>();
  private final List<Arrival> arrivals = new ArrayList<>();
  private final JsonObject balance =
      new JsonObject()
          .put("holds", true)
          .put("accepted", MESSAGES)
          .put("delivered", MESSAGES)
          .put("dead", 0)
          .put("pending", 0)
          .put("problems", new JsonArray());

  VerdictTest() {
    for (int i = 0; i < MESSAGES; i++) {
      String key = "shp_" + i + ":store_strict:1";
      accepted.put(key, new Accepted("store_strict", "sha" + i));
      deliveries.add(
          new JsonObject().put("key", key).put("state", "done").put("attempts", new JsonArray()));
      arrivals.add(arrival(i, key, "sha" + i, i * SECOND_NS / 20));
    }
  }

  @Test
  void aRunWithoutFaultPasses() {
    DemoReport report = judge();

    assertThat(report.problems()).isEmpty();
    assertThat(report.exitCode()).isZero();
    assertThat(report.maxExcess()).isZero();
    assertThat(report.render()).contains("Passed");
    assertThat(report.toJson().getMap())
        .containsEntry("accepted", 20L)
        .containsEntry("delivered", 20L)
        .containsEntry("dead", 0L)
        .containsEntry("pending", 0L)
        .containsEntry("attempts", 20L)
        .containsEntry("status429", 0L)
        .containsEntry("maxExcess", 0.0)
        .containsEntry("settleOrderViolations", 0L)
        .containsEntry("durationMs", 1_234L);
  }

  @Test
  void aDoubledShareFails() {
    for (int i = 0; i < MESSAGES; i++) {
      Arrival paced = arrivals.get(i);
      arrivals.set(i, arrival(i, paced.key(), "sha" + i, i * SECOND_NS / 40));
    }

    assertThat(judge().problems())
        .anyMatch(problem -> problem.startsWith("quota store_strict was exceeded by"));
    assertThat(judge().maxExcess()).isGreaterThan(5);
    assertThat(judge().exitCode()).isOne();
  }

  @Test
  void anEarlySettleFails() {
    deliveries
        .get(3)
        .put(
            "attempts",
            new JsonArray()
                .add(
                    new JsonObject()
                        .put("attempt", 1)
                        .put("outcome", "delivered")
                        .put("settledAt", START.minusMillis(1).toString())));

    assertThat(judge().settleOrderViolations()).isOne();
    assertThat(judge().exitCode()).isOne();
  }

  @Test
  void aDroppedRetryFails() {
    arrivals.remove(5);
    deliveries.get(5).put("state", "retry_scheduled");
    balance.put("delivered", MESSAGES - 1);

    assertThat(judge().problems()).contains("accepted 20 is not delivered 19 + dead 0");
    assertThat(judge().pending()).isOne();
  }

  @Test
  void aChangedBodyFails() {
    arrivals.set(2, arrival(2, arrivals.get(2).key(), "other", SECOND_NS / 10));

    assertThat(judge().problems()).containsExactly("1 bodies arrived changed");
  }

  @Test
  void aRepeatAfterAcceptanceFails() {
    arrivals.add(arrival(MESSAGES, arrivals.get(0).key(), "sha0", 10 * SECOND_NS));

    assertThat(judge().problems()).containsExactly("1 requests repeated one that was accepted");
  }

  @Test
  void aBalanceThatDoesNotHoldFails() {
    balance.put("holds", false).put("problems", new JsonArray().add("orphan body 7"));

    assertThat(judge().problems())
        .containsExactly("the balance does not hold: [\"orphan body 7\"]");
  }

  private DemoReport judge() {
    return Verdict.of(
        new Facts(
            accepted,
            deliveries,
            List.of(),
            Map.of("store_strict", new Allowance(Rate.parse("20/s"), 1)),
            balance,
            new Arrivals(arrivals),
            1_234));
  }

  private static Arrival arrival(int seq, @Nullable String key, String sha, long sinceStartNs) {
    long atMicros = START.toEpochMilli() * 1_000 + sinceStartNs / 1_000;
    return new Arrival(
        seq,
        sinceStartNs,
        atMicros,
        "/strict",
        "POST",
        key,
        null,
        1,
        START.toEpochMilli() * 1_000_000 + sinceStartNs,
        "n1",
        sha,
        10,
        "200",
        sinceStartNs);
  }
}
