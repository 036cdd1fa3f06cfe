package dev.weir.node;

/** Named points of a delivery's way, for tests that kill the process exactly there. */
@FunctionalInterface
public interface Checkpoints {

  /** Does nothing: what runs in production. */
  Checkpoints NONE = point -> {};

  /** Called on an event loop; may halt the process, must not block for long. */
  void reached(Checkpoint point);

  /** In the order of a delivery's way. */
  enum Checkpoint {
    AFTER_CLAIM,
    AFTER_WRITE,
    AFTER_ANSWER,
    AFTER_SETTLE
  }
}
