package dev.weir.scenarios;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.receiver.Arrival;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

class SettleOrderTest {

  private static final Instant ANSWERED = Instant.parse("2026-12-01T10:00:00.500Z");

  @Test
  void aDeliverySettledAfterItsAnswerIsInOrder() {
    assertThat(
            SettleOrder.violations(
                delivery("done", attempt("delivered", ANSWERED)), List.of(arrival("200", true))))
        .isEmpty();
  }

  @Test
  void anEarlySettleIsSeen() {
    assertThat(
            SettleOrder.violations(
                delivery("done", attempt("delivered", ANSWERED.minusMillis(1))),
                List.of(arrival("200", true))))
        .containsExactly("shp_1:store attempt 1 was settled before it was answered");
  }

  @Test
  void aRetryThatWasScheduledBeforeTheAnswerIsSeen() {
    assertThat(
            SettleOrder.violations(
                delivery("retry_scheduled", attempt("retry", ANSWERED.minusMillis(1))),
                List.of(arrival("503", true))))
        .containsExactly("shp_1:store attempt 1 was settled before it was answered");
  }

  @Test
  void doneWithoutAnyAcceptanceIsSeen() {
    assertThat(SettleOrder.violations(delivery("done"), List.of(arrival("503", true))))
        .containsExactly("shp_1:store is done, and its receiver never accepted it");
    assertThat(SettleOrder.violations(delivery("done"), List.of(arrival("200", false)))).hasSize(1);
    assertThat(SettleOrder.violations(delivery("done"), List.of())).hasSize(1);
  }

  @Test
  void deadWithoutAnyRefusalIsSeen() {
    assertThat(SettleOrder.violations(delivery("dead"), List.of(arrival("200", true))))
        .containsExactly("shp_1:store is dead, and its receiver never refused it");
  }

  @Test
  void aRefusedAttemptThatCountsAsDeliveredIsSeen() {
    assertThat(
            SettleOrder.violations(
                delivery("retry_scheduled", attempt("delivered", ANSWERED)),
                List.of(arrival("503", true))))
        .containsExactly("shp_1:store attempt 1 counts as delivered, and was answered 503");
  }

  private static JsonObject delivery(String state, JsonObject... attempts) {
    return new JsonObject()
        .put("key", "shp_1:store")
        .put("state", state)
        .put("attempts", new JsonArray(List.of(attempts)));
  }

  private static JsonObject attempt(String outcome, Instant settledAt) {
    return new JsonObject()
        .put("attempt", 1)
        .put("outcome", outcome)
        .put("settledAt", settledAt.toString());
  }

  private static Arrival arrival(String result, boolean answered) {
    return new Arrival(
        1,
        0,
        ANSWERED.toEpochMilli() * 1_000 + 999,
        "/x",
        "POST",
        "shp_1:store",
        "shp_1",
        1,
        Arrival.NONE,
        null,
        "",
        0,
        result,
        answered ? 0 : Arrival.NONE);
  }
}
