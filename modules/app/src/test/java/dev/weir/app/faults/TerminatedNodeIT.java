package dev.weir.app.faults;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.domain.message.DeliveryId;
import dev.weir.domain.message.MessageId;
import io.vertx.core.json.JsonObject;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** SIGTERM while some calls hang for longer than anybody waits for the node. */
class TerminatedNodeIT {

  private static final Logger LOG = LoggerFactory.getLogger(TerminatedNodeIT.class);

  private static final int HANGING = 8;
  private static final int WAITING = 40;
  private static final Duration DRAIN = Duration.ofSeconds(3);

  /** For the JVM itself, which closes what is around the drained node. */
  private static final Duration MARGIN = Duration.ofSeconds(4);

  private static final String HANGS =
      """
      default: {status: 200}
      paths:
        - {path: /stuck, rules: [{answer: {hang: true}}]}
        - {path: /careful, rules: [{answer: {hang: true}}]}
      """;

  @TempDir private Path dir = Path.of("");

  @Test
  void hangingCallsAreCutOffInTimeAndCountAsNoFailure() {
    try (Ground ground = Ground.start(dir, HANGS, "node: {drain: " + DRAIN.toSeconds() + "s}\n")) {
      // A single failure would be the end of a delivery.
      JsonObject fragile =
          new JsonObject()
              .put("maxInFlight", HANGING)
              .put("retry", new JsonObject().put("maxFailures", 1));
      ground.subscribe("stuck", fragile);
      ground.subscribe("careful", fragile.copy().put("onAmbiguous", "hold"));
      ground.subscribe("steady", new JsonObject().put("rate", "20/s"));
      for (int i = 0; i < WAITING; i++) {
        ground.publish("stuck_" + i, "stuck");
        ground.publish("steady_" + i, "steady");
      }
      ground.publish("careful_0", "careful");
      ground.awaitArrivals("/stuck", HANGING, Duration.ofSeconds(20));
      ground.awaitArrivals("/careful", 1, Duration.ofSeconds(20));

      long toldNanos = System.nanoTime();
      int code = ground.node().terminate(DRAIN.plus(MARGIN));
      LOG.info(
          "gone {} ms after SIGTERM, drain time {} ms",
          (System.nanoTime() - toldNanos) / 1_000_000,
          DRAIN.toMillis());
      assertThat(code).isZero();
      assertThat(ground.arrivals().at("/stuck").count()).isEqualTo(HANGING);

      ground.receiver().client().script("default: {status: 200}\n");
      ground.node().restart();
      JsonObject balance = ground.awaitSettled(2L * WAITING + 1, Duration.ofSeconds(30));

      assertThat(balance.getLong("dead")).isZero();
      assertThat(balance.getLong("delivered")).isEqualTo(2L * WAITING);
      // Sent, and unanswered: whoever can't take a repeat asks a person.
      assertThat(balance.getLong("reconciling")).isEqualTo(1);
      for (String subscriber : new String[] {"stuck", "steady"}) {
        for (int i = 0; i < WAITING; i++) {
          requireNumbersOfRequests(ground, subscriber + "_" + i, subscriber);
        }
      }
    }
  }

  /** The last attempt's number is the number of requests that were made, no more and no less. */
  private static void requireNumbersOfRequests(Ground ground, String id, String subscriber) {
    DeliveryId delivery = new DeliveryId(MessageId.of(id), subscriber);
    var attempts = ground.node().client().delivery(delivery).json().getJsonArray("attempts");
    long last = attempts.getJsonObject(attempts.size() - 1).getLong("attempt");
    assertThat(last)
        .as(delivery.key())
        .isEqualTo(ground.arrivals().withKey(delivery.key()).count());
  }
}
