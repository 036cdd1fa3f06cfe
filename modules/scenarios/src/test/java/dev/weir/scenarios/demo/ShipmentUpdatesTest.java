package dev.weir.scenarios.demo;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.scenarios.demo.ShipmentUpdates.Update;
import io.vertx.core.json.JsonObject;
import java.util.HashSet;
import java.util.List;
import org.junit.jupiter.api.Test;

class ShipmentUpdatesTest {

  @Test
  void theSameSeedGivesTheSameUpdates() {
    assertThat(ShipmentUpdates.of(50, 7)).isEqualTo(ShipmentUpdates.of(50, 7));
    assertThat(ShipmentUpdates.of(50, 7)).isNotEqualTo(ShipmentUpdates.of(50, 8));
  }

  @Test
  void everyUpdateIsAMessageOfItsOwnAndSomeShareAShipment() {
    List<Update> updates = ShipmentUpdates.of(100, 1);

    assertThat(new HashSet<>(updates.stream().map(Update::id).toList())).hasSize(100);
    assertThat(new HashSet<>(updates.stream().map(update -> update.id().id()).toList()))
        .hasSize(50);
  }

  @Test
  void everySubscriberGetsSomeAndSomeUpdatesGoToTwo() {
    List<Update> updates = ShipmentUpdates.of(500, 1);

    assertThat(updates.stream().flatMap(update -> update.to().stream()).distinct())
        .containsExactlyInAnyOrderElementsOf(Cast.MEMBERS.stream().map(Cast.Member::id).toList());
    assertThat(updates).anyMatch(update -> update.to().size() == 2);
  }

  @Test
  void theRequestIsJsonAndHoldsTheBodyAsItIs() {
    Update update = ShipmentUpdates.of(1, 1).get(0);

    assertThat(new JsonObject(update.request()).getString("id")).isEqualTo("shp_000000");
    assertThat(update.request()).contains("\"body\":" + update.body());
  }
}
