package dev.weir.testkit.store;

import dev.weir.domain.message.Envelope;
import dev.weir.domain.message.MessageId;
import io.vertx.core.buffer.Buffer;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** One message in one partition: its body while anything is open, its ledger afterwards. */
final class MemoryMessage {

  final MessageId id;
  final int partition;
  final long sequence;
  final long acceptedMs;

  /** Kept for comparison after the body is dropped; stands for the body's hash. */
  final Buffer fingerprint;

  final Map<String, MemoryDelivery> deliveries = new HashMap<>();

  private final Envelope envelope;
  private int open;
  private long closedAtMs;

  MemoryMessage(
      MessageId id, int partition, long sequence, long acceptedMs, Envelope envelope, Buffer body) {
    this.id = id;
    this.partition = partition;
    this.sequence = sequence;
    this.acceptedMs = acceptedMs;
    this.envelope = envelope;
    this.fingerprint = body.copy();
  }

  Envelope envelope() {
    return envelope;
  }

  /** The envelope while the body is kept, then null. */
  @Nullable Envelope keptEnvelope() {
    return open > 0 ? envelope : null;
  }

  int open() {
    return open;
  }

  void opened() {
    open++;
  }

  void closed(long nowMs) {
    open--;
    closedAtMs = nowMs;
  }

  boolean isForgotten(long nowMs, long ledgerMs) {
    return open == 0 && nowMs - closedAtMs >= ledgerMs;
  }

  long deliverByMs() {
    return envelope.deliverByMs() == Envelope.NONE ? Long.MAX_VALUE : envelope.deliverByMs();
  }
}
