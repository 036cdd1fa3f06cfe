package dev.weir.store;

import dev.weir.protocol.store.StoreException;
import dev.weir.protocol.store.StoreException.Kind;
import io.vertx.redis.client.Response;
import org.jspecify.annotations.Nullable;

/** Reads numbers of a script's reply; one that is missing is a fault of ours and says so. */
final class Reply {

  private Reply() {}

  static long number(@Nullable Response reply) {
    Long value = reply == null ? null : reply.toLong();
    if (value == null) {
      throw new StoreException(Kind.BROKEN, "reply", "a number is missing", null);
    }
    return value;
  }

  static int code(@Nullable Response reply) {
    return Math.toIntExact(number(reply));
  }
}
