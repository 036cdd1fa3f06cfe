package dev.weir.testkit.store;

import dev.weir.protocol.store.ConfigStore;
import dev.weir.protocol.store.DeliveryStore;
import dev.weir.protocol.store.InspectionStore;
import dev.weir.protocol.store.PublishStore;
import dev.weir.protocol.store.PublishStore.Publication;
import dev.weir.protocol.store.Store;
import java.nio.charset.StandardCharsets;
import java.time.InstantSource;
import java.util.function.ToIntFunction;
import java.util.zip.CRC32;

/**
 * The store in plain collections, for unit tests and as the model that the real one is compared
 * with. Nothing is durable. Every call happens whole, at once, on the calling thread; its future is
 * complete when it returns. What is handed out never changes afterwards.
 */
public final class InMemoryStore implements Store {

  private static final int PARTITIONS = 64;

  private final MemoryDeliveries deliveries;
  private final MemoryPublishes publishes;
  private final MemoryConfig config;
  private final MemoryInspection inspection;

  public InMemoryStore(InstantSource clock) {
    this(clock, PARTITIONS, InMemoryStore::hash);
  }

  /**
   * @param partitionOfQuota where a quota lives, 0 to {@code partitions} − 1, always the same; for
   *     a model that mirrors another store
   */
  public InMemoryStore(
      InstantSource clock, int partitions, ToIntFunction<String> partitionOfQuota) {
    MemoryState state = new MemoryState(clock, partitions, partitionOfQuota);
    this.deliveries = new MemoryDeliveries(state);
    this.publishes = new MemoryPublishes(state);
    this.config = new MemoryConfig(state);
    this.inspection = new MemoryInspection(state);
  }

  private static int hash(String quotaId) {
    CRC32 crc = new CRC32();
    crc.update(quotaId.getBytes(StandardCharsets.UTF_8));
    return (int) (crc.getValue() % PARTITIONS);
  }

  /** Leaves a publish as a crash right after its intent would; {@code openIntents} shows it. */
  public void leaveUnfinished(Publication publication) {
    publishes.begin(publication);
  }

  @Override
  public DeliveryStore deliveries() {
    return deliveries;
  }

  @Override
  public PublishStore publishes() {
    return publishes;
  }

  @Override
  public ConfigStore config() {
    return config;
  }

  @Override
  public InspectionStore inspection() {
    return inspection;
  }

  @Override
  public Health health() {
    return new Health(true, "");
  }
}
