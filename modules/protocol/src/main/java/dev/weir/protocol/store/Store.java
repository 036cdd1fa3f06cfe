package dev.weir.protocol.store;

/** The store, by what its callers need of it. */
public interface Store {

  DeliveryStore deliveries();

  PublishStore publishes();

  ConfigStore config();

  InspectionStore inspection();

  /** Whether the store answers, and if not, why, in a sentence for {@code /health/ready}. */
  Health health();

  /**
   * @param reason empty when ready
   * @param warning what a person must know though it is ready, such as data that was lost; or empty
   */
  record Health(boolean ready, String reason, String warning) {

    public Health(boolean ready, String reason) {
      this(ready, reason, "");
    }
  }
}
