package dev.weir.node;

import dev.weir.protocol.bus.Addresses;
import dev.weir.protocol.bus.DispatcherProtocol;
import dev.weir.protocol.bus.Wakes;
import io.vertx.core.eventbus.EventBus;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Sends hints to the dispatchers of the lanes they concern. */
record BusWakes(EventBus bus, int lanes) implements Wakes {

  @Override
  public void due(List<String> subscribers) {
    if (subscribers.size() == 1) {
      wake(Addresses.laneOf(subscribers.get(0), lanes), subscribers);
      return;
    }
    Map<Integer, List<String>> byLane = new HashMap<>();
    for (String subscriber : subscribers) {
      byLane
          .computeIfAbsent(Addresses.laneOf(subscriber, lanes), first -> new ArrayList<>())
          .add(subscriber);
    }
    byLane.forEach(this::wake);
  }

  private void wake(int lane, List<String> subscribers) {
    bus.send(Addresses.dispatcher(lane), new DispatcherProtocol.Wake(subscribers), Addresses.LOCAL);
  }

  @Override
  public void changed(String subscriber) {
    bus.send(
        Addresses.dispatcher(Addresses.laneOf(subscriber, lanes)),
        new DispatcherProtocol.Changed(subscriber),
        Addresses.LOCAL);
  }
}
