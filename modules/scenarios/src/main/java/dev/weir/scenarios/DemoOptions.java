package dev.weir.scenarios;

/**
 * @param messages shipment updates to publish, 1 to {@value #MAX_MESSAGES}; one in five goes to two
 *     subscribers
 * @param seed decides who gets what, and in which order
 * @param keep whether the directory with data and logs stays
 */
public record DemoOptions(int messages, long seed, boolean keep) {

  public static final int DEFAULT_MESSAGES = 1_500;
  public static final int MAX_MESSAGES = 1_000_000;
  public static final long DEFAULT_SEED = 1;

  public static final DemoOptions DEFAULT = new DemoOptions(DEFAULT_MESSAGES, DEFAULT_SEED, false);

  public DemoOptions {
    if (messages < 1 || messages > MAX_MESSAGES) {
      throw new IllegalArgumentException(
          "messages must be 1 to " + MAX_MESSAGES + ", was " + messages);
    }
  }
}
