package dev.weir.store;

import dev.weir.domain.message.Envelope;
import dev.weir.domain.message.MessageId;
import io.vertx.core.buffer.Buffer;
import java.nio.charset.StandardCharsets;

/**
 * A stored body: the line {@code 1 deliverBy accepted deliverAt MID envelopeLength}, the envelope's
 * JSON, the body's bytes.
 *
 * @param body empty where only the beginning was read
 */
record StoredMessage(MessageId id, long acceptedMs, Envelope envelope, Buffer body) {

  private static final int FORMAT = 1;
  private static final byte LINE_END = '\n';

  /** Throws {@link IllegalArgumentException} on what {@code publish.lua} never writes. */
  static StoredMessage parse(Buffer stored) {
    int end = 0;
    while (end < stored.length() && stored.getByte(end) != LINE_END) {
      end++;
    }
    String[] head = stored.getString(0, end, StandardCharsets.US_ASCII.name()).split(" ", -1);
    if (head.length != 6 || Integer.parseInt(head[0]) != FORMAT) {
      throw new IllegalArgumentException("a stored message begins with '" + String.join(" ", head));
    }
    int bodyAt = end + 1 + Integer.parseInt(head[5]);
    return new StoredMessage(
        MessageId.parse(head[4]),
        Long.parseLong(head[2]),
        EnvelopeCodec.decode(stored.getBuffer(end + 1, bodyAt), Long.parseLong(head[1])),
        stored.getBuffer(bodyAt, stored.length()));
  }
}
