package dev.weir.app;

/** A node that can't start; the message is one sentence of what is wrong and one of what to do. */
final class StartupException extends RuntimeException {

  StartupException(String message, Throwable cause) {
    super(message, cause);
  }

  StartupException(String message) {
    super(message);
  }
}
