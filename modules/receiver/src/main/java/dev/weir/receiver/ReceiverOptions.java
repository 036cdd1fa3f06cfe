package dev.weir.receiver;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * @param port on 127.0.0.1; 0 for any free one
 * @param script YAML or JSON; null answers 200 to everything
 * @param log where arrivals are appended; null keeps the latest in memory only
 */
public record ReceiverOptions(int port, @Nullable Path script, @Nullable Path log) {

  public ReceiverOptions {
    if (port < 0 || port > 65_535) {
      throw new IllegalArgumentException("port must be 0 to 65535, was " + port);
    }
  }
}
