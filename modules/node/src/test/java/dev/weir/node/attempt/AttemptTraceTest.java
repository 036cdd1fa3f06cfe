package dev.weir.node.attempt;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.domain.message.DeliveryId;
import dev.weir.domain.message.Envelope;
import dev.weir.domain.message.MessageId;
import dev.weir.domain.outcome.Answer;
import dev.weir.domain.outcome.Outcome;
import dev.weir.protocol.store.ClaimId;
import dev.weir.protocol.store.DeliveryStore.Claimed;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.JsonObject;
import java.util.Map;
import org.junit.jupiter.api.Test;

class AttemptTraceTest {

  private static final long MS = 1_000_000;

  @Test
  void anAnswerIsToldAsOneLineOfJson() {
    String line =
        AttemptTrace.line(
            claimed(1_796_086_800_007L, 1_796_086_860_050L),
            "n1",
            new AttemptTrace.Timing(5 * MS, 9 * MS, 21 * MS, 1_796_086_860_999L * MS),
            new Answer.Status(503, "17", null, null),
            "say \"no\"\n\u00e9\u2028",
            new Outcome.Dead("status 503", false));
    assertThat(line).doesNotContain("\n");
    assertThat(new JsonObject(line))
        .isEqualTo(
            new JsonObject()
                .put("attempt", 2)
                .put("node", "n1")
                .put("eligibleAt", "2026-12-01T01:00:00.007Z")
                .put("claimedAt", "2026-12-01T01:01:00.050Z")
                .put("limiter", new JsonObject().put("waitedMs", 4).put("gate", "open"))
                .put("sentAt", "2026-12-01T01:01:00.999Z")
                .put("status", 503)
                .put("latencyMs", 12)
                .put("retryAfter", "17")
                .put("excerpt", "say \"no\"\n\u00e9\u2028")
                .put("outcome", "dead")
                .put("why", "status 503")
                .put("idempotencyKey", "m:s:3"));
  }

  @Test
  void whatWasNeverWrittenHasNoSentAt() {
    String line =
        AttemptTrace.line(
            claimed(0, 0),
            "n1",
            new AttemptTrace.Timing(5 * MS, 0, 6 * MS, 0),
            new Answer.NotSent(Answer.ErrorClass.TIMEOUT, "no connection in time"),
            "",
            new Outcome.Dead("gone", false));
    JsonObject json = new JsonObject(line);
    assertThat(json.containsKey("sentAt")).isTrue();
    assertThat(json.getString("sentAt")).isNull();
    assertThat(json.getString("error")).isEqualTo("timeout");
    assertThat(json.getString("eligibleAt")).isEqualTo("1970-01-01T00:00:00.000Z");
  }

  private static Claimed claimed(long eligibleAtMs, long claimedAtMs) {
    return new Claimed(
        new DeliveryId(MessageId.of("m", 3), "s"),
        1,
        new ClaimId(1, "x", 1),
        2,
        0,
        0,
        0,
        eligibleAtMs,
        claimedAtMs,
        0,
        false,
        new Envelope(null, "text/plain", Map.of(), null, Envelope.NONE),
        Buffer.buffer());
  }
}
