package dev.weir.node.attempt;

import dev.weir.domain.outcome.Answer;
import dev.weir.domain.outcome.Outcome;
import dev.weir.protocol.store.DeliveryStore.Claimed;
import io.vertx.core.json.JsonObject;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Locale;

/** The record of one attempt, as one line of JSON: what a person reads to learn why. */
public final class AttemptTrace {

  private static final DateTimeFormatter INSTANT =
      DateTimeFormatter.ofPattern("yyyy-MM-dd'T'HH:mm:ss.SSS'Z'", Locale.ROOT)
          .withZone(ZoneOffset.UTC);

  private static final long NANOS_PER_MILLI = 1_000_000;

  private AttemptTrace() {}

  /**
   * @param openedNanos when the attempt was dispatched
   * @param writtenNanos when its request was written; 0 when it never was
   * @param answeredNanos when the answer was known
   * @param sentAtEpochNanos wall time of {@code writtenNanos}
   */
  public record Timing(
      long openedNanos, long writtenNanos, long answeredNanos, long sentAtEpochNanos) {

    boolean written() {
      return writtenNanos != 0;
    }

    long waitedMs() {
      long end = written() ? writtenNanos : answeredNanos;
      return Math.max(0, (end - openedNanos) / NANOS_PER_MILLI);
    }

    long latencyMs() {
      long start = written() ? writtenNanos : openedNanos;
      return Math.max(0, (answeredNanos - start) / NANOS_PER_MILLI);
    }
  }

  /** The line; {@code settledAt} is added by the store's reader. */
  public static String line(
      Claimed claimed,
      String nodeName,
      Timing timing,
      Answer answer,
      String excerpt,
      Outcome outcome) {
    JsonObject line =
        new JsonObject()
            .put("attempt", claimed.attempt())
            .put("node", nodeName)
            .put("eligibleAt", instant(claimed.eligibleAtMs()))
            .put("claimedAt", instant(claimed.claimedAtMs()))
            .put(
                "limiter",
                new JsonObject()
                    .put("waitedMs", timing.waitedMs())
                    .put("gate", claimed.probe() ? "probe" : "open"))
            .put(
                "sentAt",
                timing.written() ? instant(timing.sentAtEpochNanos() / NANOS_PER_MILLI) : null);
    putAnswer(line, answer);
    line.put("latencyMs", timing.latencyMs());
    if (answer instanceof Answer.Status status && status.retryAfter() != null) {
      line.put("retryAfter", status.retryAfter());
    }
    if (!excerpt.isEmpty()) {
      line.put("excerpt", excerpt);
    }
    putOutcome(line, outcome);
    if (answer instanceof Answer.NoAnswer) {
      line.put("ambiguous", true);
    }
    return line.put("idempotencyKey", claimed.id().key()).encode();
  }

  private static void putAnswer(JsonObject line, Answer answer) {
    if (answer instanceof Answer.Status status) {
      line.put("status", status.code());
    } else if (answer instanceof Answer.NotSent notSent) {
      putError(line, notSent.error(), notSent.detail());
    } else if (answer instanceof Answer.NoAnswer noAnswer) {
      putError(line, noAnswer.error(), noAnswer.detail());
    }
  }

  private static void putError(JsonObject line, Answer.ErrorClass error, String detail) {
    line.put("error", error.name().toLowerCase(Locale.ROOT)).put("detail", detail);
  }

  private static void putOutcome(JsonObject line, Outcome outcome) {
    if (outcome instanceof Outcome.Delivered) {
      line.put("outcome", "delivered");
    } else if (outcome instanceof Outcome.Retry retry) {
      line.put("outcome", "retry").put("delayMs", retry.delayMs()).put("why", retry.reason());
    } else if (outcome instanceof Outcome.Dead dead) {
      line.put("outcome", "dead").put("why", dead.reason());
    } else if (outcome instanceof Outcome.Reconcile reconcile) {
      line.put("outcome", "reconcile").put("why", reconcile.reason());
    }
  }

  private static String instant(long epochMs) {
    return INSTANT.format(Instant.ofEpochMilli(epochMs));
  }
}
