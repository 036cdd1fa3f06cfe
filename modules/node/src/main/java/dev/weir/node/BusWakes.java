package dev.weir.node;

import dev.weir.protocol.bus.Addresses;
import dev.weir.protocol.bus.DispatcherProtocol;
import dev.weir.protocol.bus.DispatcherProtocol.BringUp;
import dev.weir.protocol.bus.DispatcherProtocol.Wake;
import dev.weir.protocol.bus.Wakes;
import io.vertx.core.eventbus.EventBus;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/** Sends hints to the dispatchers of the lanes they concern. */
record BusWakes(EventBus bus, int lanes) implements Wakes {

  @Override
  public void due(List<String> subscribers) {
    byLane(subscribers, Wake::new);
  }

  /** Their time has come: those without a verticle get one. */
  void bringUp(List<String> subscribers) {
    byLane(subscribers, BringUp::new);
  }

  private void byLane(
      List<String> subscribers, Function<List<String>, DispatcherProtocol> message) {
    Map<Integer, List<String>> byLane = new HashMap<>();
    for (String subscriber : subscribers) {
      byLane
          .computeIfAbsent(Addresses.laneOf(subscriber, lanes), first -> new ArrayList<>())
          .add(subscriber);
    }
    byLane.forEach((lane, members) -> send(lane, message.apply(members)));
  }

  @Override
  public void changed(String subscriber) {
    send(Addresses.laneOf(subscriber, lanes), new DispatcherProtocol.Changed(subscriber));
  }

  private void send(int lane, DispatcherProtocol message) {
    bus.send(Addresses.dispatcher(lane), message, Addresses.LOCAL);
  }
}
