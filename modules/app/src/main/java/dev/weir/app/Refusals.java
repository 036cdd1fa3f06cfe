package dev.weir.app;

import dev.weir.app.config.ListenAddress;
import dev.weir.protocol.store.StoreException;
import dev.weir.store.connection.EmbeddedRedisException;
import dev.weir.store.connection.StartupChecks;
import java.net.BindException;

/** Turns what a part failed with into the sentence that whoever started the node can act on. */
final class Refusals {

  private Refusals() {}

  static StartupException of(Throwable failure) {
    if (failure instanceof StartupException already) {
      return already;
    }
    if (failure instanceof EmbeddedRedisException || failure instanceof StartupChecks.Refused) {
      return new StartupException(String.valueOf(failure.getMessage()), failure);
    }
    if (failure instanceof StoreException store) {
      return new StartupException("the store: " + store.getMessage(), store);
    }
    return new StartupException("unexpected: " + failure, failure);
  }

  /** The one refusal that everybody meets. */
  static StartupException cantListen(ListenAddress address, Throwable failure) {
    if (hasCause(failure, BindException.class)) {
      return new StartupException(
          address
              + " is taken by another process; stop it, or choose another port with --http "
              + address.authority(address.port() + 1)
              + " (or port 0 for any free one)",
          failure);
    }
    return new StartupException("can't listen on " + address + ": " + failure, failure);
  }

  private static boolean hasCause(Throwable failure, Class<? extends Throwable> type) {
    for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
      if (type.isInstance(cause)) {
        return true;
      }
    }
    return false;
  }
}
