package dev.weir.node;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.node.Endpoint.Arrival;
import dev.weir.protocol.store.InspectionStore.State;
import io.vertx.core.buffer.Buffer;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class DeliveryTest {

  private final RunningNode running = RunningNode.start();

  @AfterEach
  void close() {
    running.close();
  }

  @Test
  void aPublishedMessageArrivesAsItsVeryBytesAndIsRecorded() throws Exception {
    Endpoint endpoint = Endpoint.answering(running.vertx, 200);
    running.put(RunningNode.subscriber("store:17", endpoint.uri()), "unlimited", 2);
    Buffer body = Buffer.buffer(new byte[] {0, (byte) 0xff, (byte) 0xfe, '{', ' ', '}'});

    running.publish("store:17", "shp 2048", body);

    Arrival arrival = endpoint.await(1, 5_000).get(0);
    assertThat(arrival.body()).isEqualTo(body);
    assertThat(arrival.key()).isEqualTo("shp%202048:store%3A17");
    assertThat(arrival.headers())
        .containsEntry("weir-message-id", "shp%202048")
        .containsEntry("weir-attempt", "1")
        .containsEntry("weir-node", "n1")
        .containsEntry("content-type", "application/json");
    assertThat(running.awaitState("shp 2048", "store:17", State.DONE).attempts())
        .singleElement()
        .asString()
        .contains("\"status\":200", "\"outcome\":\"delivered\"", "\"gate\":\"open\"");
    assertThat(running.store.inspection().balance().await().problems()).isEmpty();
  }

  @Test
  void manyMessagesAreAllDeliveredOnce() throws Exception {
    Endpoint endpoint = Endpoint.answering(running.vertx, 204);
    running.put(RunningNode.subscriber("s", endpoint.uri()), "unlimited", 2);

    running.publishMany("s", 2_000);

    running.awaitTotals(totals -> totals.delivered() == 2_000, 20_000);
    assertThat(endpoint.arrivals().stream().map(Arrival::key).distinct()).hasSize(2_000);
    assertThat(endpoint.arrivals()).hasSize(2_000);
  }

  @Test
  void thousandsOfSubscribersWithOneDeliveryEachComeAndGo() throws Exception {
    try (RunningNode many = RunningNode.startWith(Duration.ofMillis(100))) {
      Endpoint endpoint = Endpoint.answering(many.vertx, 200);
      for (int i = 0; i < 2_000; i++) {
        many.put(RunningNode.subscriber("s" + i, endpoint.uri()), "1/h", 1);
      }
      for (int round = 0; round < 2; round++) {
        for (int i = 0; i < 2_000; i++) {
          many.publish("s" + i, "m" + round);
        }
      }
      many.awaitTotals(totals -> totals.delivered() == 2_000, 20_000);
      assertThat(endpoint.arrivals()).hasSize(2_000);
      many.awaitPassive("s7");
      many.awaitPassive("s1999");
    }
  }
}
