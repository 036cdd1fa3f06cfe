package dev.weir.store.connection;

/** The embedded Redis can't run; the message says why and what to do, for the person who starts. */
public final class EmbeddedRedisException extends RuntimeException {

  EmbeddedRedisException(String message) {
    super(message);
  }

  EmbeddedRedisException(String message, Throwable cause) {
    super(message, cause);
  }
}
