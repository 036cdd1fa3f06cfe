package dev.weir.domain.message;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Everything of a message but its body: what each attempt needs to build its request.
 *
 * @param type the producer's word for what happened, such as {@code shipment.updated}; null when
 *     not given
 * @param contentType sent as {@code Content-Type}; null sends none
 * @param headers the message's own headers, sent with each attempt; names as given
 * @param path appended to the subscriber's endpoint, begins with {@code /}; null appends nothing
 * @param deliverByMs the business deadline, epoch ms; {@value #NONE} for none
 */
public record Envelope(
    @Nullable String type,
    @Nullable String contentType,
    Map<String, String> headers,
    @Nullable String path,
    long deliverByMs) {

  public static final long NONE = -1;

  /** Largest body, in decoded bytes. */
  public static final int MAX_BODY_BYTES = 262_144;

  /** Largest sum of header names and values of a message, in bytes. */
  public static final int MAX_HEADER_BYTES = 16_384;

  public Envelope {
    headers = Map.copyOf(headers);
  }
}
