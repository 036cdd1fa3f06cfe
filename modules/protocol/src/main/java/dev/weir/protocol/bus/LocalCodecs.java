package dev.weir.protocol.bus;

import io.vertx.core.buffer.Buffer;
import io.vertx.core.eventbus.EventBus;
import io.vertx.core.eventbus.MessageCodec;
import java.util.List;

/**
 * Hands immutable records from verticle to verticle by reference. They never cross the wire: a
 * message that does is a fault of ours and fails loudly.
 */
public final class LocalCodecs {

  private static final List<Class<?>> MESSAGES =
      List.of(
          DispatcherProtocol.Wake.class,
          DispatcherProtocol.BringUp.class,
          DispatcherProtocol.Changed.class,
          DispatcherProtocol.Demand.class,
          DispatcherProtocol.Idle.class,
          DispatcherProtocol.Begin.class,
          DispatcherProtocol.Drain.class,
          DispatcherProtocol.Drained.class,
          SubscriberProtocol.Work.class,
          SubscriberProtocol.Wake.class,
          SubscriberProtocol.Changed.class,
          SubscriberProtocol.Settled.class,
          SubscriberProtocol.Released.class,
          SubscriberProtocol.Drain.class,
          RetryProtocol.Settle.class,
          RetryProtocol.Release.class,
          QuotaProtocol.Renew.class,
          QuotaProtocol.Release.class,
          QuotaProtocol.Granted.class,
          QuotaProtocol.Released.class);

  private LocalCodecs() {}

  /** Registers all of them; once per Vert.x instance. */
  public static void register(EventBus bus) {
    MESSAGES.forEach(type -> register(bus, type));
  }

  private static <T> void register(EventBus bus, Class<T> type) {
    bus.registerDefaultCodec(type, new ByReference<>(type));
  }

  private record ByReference<T>(Class<T> type) implements MessageCodec<T, T> {

    @Override
    public void encodeToWire(Buffer buffer, T message) {
      throw new UnsupportedOperationException(type.getName() + " never leaves its node");
    }

    @Override
    public T decodeFromWire(int position, Buffer buffer) {
      throw new UnsupportedOperationException(type.getName() + " never leaves its node");
    }

    @Override
    public T transform(T message) {
      return message;
    }

    @Override
    public String name() {
      return type.getName();
    }

    @Override
    public byte systemCodecID() {
      return -1;
    }
  }
}
