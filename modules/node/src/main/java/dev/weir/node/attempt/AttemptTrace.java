package dev.weir.node.attempt;

import dev.weir.domain.outcome.Answer;
import dev.weir.domain.outcome.Outcome;
import dev.weir.protocol.store.DeliveryStore.Claimed;
import io.vertx.core.json.Json;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.util.Locale;

/** The record of one attempt, as one line of JSON: what a person reads to learn why. */
public final class AttemptTrace {

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
    Line line = new Line();
    line.number("attempt", claimed.attempt());
    line.text("node", nodeName);
    line.instant("eligibleAt", claimed.eligibleAtMs());
    line.instant("claimedAt", claimed.claimedAtMs());
    line.open("limiter");
    line.number("waitedMs", timing.waitedMs());
    line.text("gate", claimed.probe() ? "probe" : "open");
    line.close();
    if (timing.written()) {
      line.instant("sentAt", timing.sentAtEpochNanos() / NANOS_PER_MILLI);
    } else {
      line.bare("sentAt", "null");
    }
    putAnswer(line, answer);
    line.number("latencyMs", timing.latencyMs());
    if (answer instanceof Answer.Status status && status.retryAfter() != null) {
      line.text("retryAfter", status.retryAfter());
    }
    if (!excerpt.isEmpty()) {
      line.text("excerpt", excerpt);
    }
    putOutcome(line, outcome);
    if (answer instanceof Answer.NoAnswer) {
      line.bare("ambiguous", "true");
    }
    line.text("idempotencyKey", claimed.id().key());
    return line.end();
  }

  private static void putAnswer(Line line, Answer answer) {
    if (answer instanceof Answer.Status status) {
      line.number("status", status.code());
    } else if (answer instanceof Answer.NotSent notSent) {
      putError(line, notSent.error(), notSent.detail());
    } else if (answer instanceof Answer.NoAnswer noAnswer) {
      putError(line, noAnswer.error(), noAnswer.detail());
    }
  }

  private static void putError(Line line, Answer.ErrorClass error, String detail) {
    line.text("error", error.name().toLowerCase(Locale.ROOT));
    line.text("detail", detail);
  }

  private static void putOutcome(Line line, Outcome outcome) {
    if (outcome instanceof Outcome.Delivered) {
      line.text("outcome", "delivered");
    } else if (outcome instanceof Outcome.Retry retry) {
      line.text("outcome", "retry");
      line.number("delayMs", retry.delayMs());
      line.text("why", retry.reason());
    } else if (outcome instanceof Outcome.Dead dead) {
      line.text("outcome", "dead");
      line.text("why", dead.reason());
    } else if (outcome instanceof Outcome.Reconcile reconcile) {
      line.text("outcome", "reconcile");
      line.text("why", reconcile.reason());
    }
  }

  /**
   * Writes one object. Every attempt has one; through a tree of objects, a general encoder and a
   * date formatter it was a tenth of what a delivery costs.
   */
  private static final class Line {

    private static final int USUAL_LENGTH = 512;
    private static final int MS_PER_SECOND = 1_000;

    private final StringBuilder text = new StringBuilder(USUAL_LENGTH).append('{');

    void number(String name, long value) {
      name(name).append(value);
    }

    void text(String name, String value) {
      name(name);
      if (isPlain(value)) {
        text.append('"').append(value).append('"');
      } else {
        text.append(Json.encode(value));
      }
    }

    void bare(String name, String literal) {
      name(name).append(literal);
    }

    /** RFC 3339, UTC, with exactly three digits behind the seconds. */
    void instant(String name, long epochMs) {
      LocalDateTime time =
          LocalDateTime.ofEpochSecond(Math.floorDiv(epochMs, MS_PER_SECOND), 0, ZoneOffset.UTC);
      name(name).append('"');
      digits(time.getYear(), 4).append('-');
      digits(time.getMonthValue(), 2).append('-');
      digits(time.getDayOfMonth(), 2).append('T');
      digits(time.getHour(), 2).append(':');
      digits(time.getMinute(), 2).append(':');
      digits(time.getSecond(), 2).append('.');
      digits((int) Math.floorMod(epochMs, (long) MS_PER_SECOND), 3).append("Z\"");
    }

    void open(String name) {
      name(name).append('{');
    }

    void close() {
      text.append('}');
    }

    String end() {
      return text.append('}').toString();
    }

    private StringBuilder name(String name) {
      if (text.charAt(text.length() - 1) != '{') {
        text.append(',');
      }
      return text.append('"').append(name).append("\":");
    }

    private StringBuilder digits(int value, int count) {
      int limit = 1;
      for (int i = 1; i < count; i++) {
        limit *= 10;
      }
      for (; limit > Math.max(value, 1); limit /= 10) {
        text.append('0');
      }
      return text.append(value);
    }

    private static boolean isPlain(String value) {
      for (int i = 0; i < value.length(); i++) {
        char c = value.charAt(i);
        if (c < ' ' || c > '~' || c == '"' || c == '\\') {
          return false;
        }
      }
      return true;
    }
  }
}
