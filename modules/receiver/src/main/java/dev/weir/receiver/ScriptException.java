package dev.weir.receiver;

/** A script that can't be used; the message says where, what was wrong and what is allowed. */
public final class ScriptException extends RuntimeException {

  ScriptException(String message) {
    super(message);
  }
}
