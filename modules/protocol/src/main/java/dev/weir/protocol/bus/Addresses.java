package dev.weir.protocol.bus;

import io.vertx.core.eventbus.DeliveryOptions;
import io.vertx.core.tracing.TracingPolicy;

/**
 * Where the verticles of one node listen. All of these are local: a subscriber's address must never
 * be sent to without {@link #LOCAL}, since each address that a clustered bus has seen costs the
 * sender about 5 KB for ever.
 */
public final class Addresses {

  /** How every message between verticles of one node is sent; shared, never changed. */
  public static final DeliveryOptions LOCAL =
      new DeliveryOptions().setLocalOnly(true).setTracingPolicy(TracingPolicy.IGNORE);

  /** The quota verticle's requests for shares. */
  public static final String QUOTA = "weir.local.quota";

  /** The home verticle's commands. */
  public static final String HOME = "weir.local.home";

  private Addresses() {}

  /** The dispatcher of a lane, 0 to lanes − 1. */
  public static String dispatcher(int lane) {
    return "weir.local.dispatcher." + lane;
  }

  /** The retry verticle of a lane. */
  public static String retry(int lane) {
    return "weir.local.retry." + lane;
  }

  /** One subscriber's verticle, while it is deployed. */
  public static String subscriber(String id) {
    return "weir.local.subscriber." + id;
  }

  /** The lane that a subscriber belongs to on a node with so many. */
  public static int laneOf(String subscriber, int lanes) {
    return Math.floorMod(subscriber.hashCode(), lanes);
  }
}
