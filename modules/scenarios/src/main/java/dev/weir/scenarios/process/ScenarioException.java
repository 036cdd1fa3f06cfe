package dev.weir.scenarios.process;

/** A scenario can't go on: what was wrong and what to do stand in the message. */
public final class ScenarioException extends RuntimeException {

  public ScenarioException(String message) {
    super(message);
  }

  public ScenarioException(String message, Throwable cause) {
    super(message, cause);
  }
}
