package dev.weir.domain.message;

import org.jspecify.annotations.Nullable;

/**
 * Names a message: an id that the producer chose (or was given) and an optional version. Two
 * versions of one id are two messages.
 *
 * @param id 1 to {@value #MAX_ID_BYTES} bytes of UTF-8, any characters but lone surrogates
 * @param version 0 or more, or null when the producer gave none
 */
public record MessageId(String id, @Nullable Long version) {

  public static final int MAX_ID_BYTES = 256;

  public MessageId {
    Escaping.requireId("id", id, MAX_ID_BYTES);
    if (version != null && version < 0) {
      throw new IllegalArgumentException("version must be 0 or more, was " + version);
    }
  }

  public static MessageId of(String id) {
    return new MessageId(id, null);
  }

  public static MessageId of(String id, long version) {
    return new MessageId(id, version);
  }

  /** {@code id[:version]}, the id escaped; the inverse is {@link #parse}. */
  public String key() {
    return version == null ? Escaping.escape(id) : Escaping.escape(id) + ":" + version;
  }

  /** Reads what {@link #key()} wrote; throws {@link IllegalArgumentException} on anything else. */
  public static MessageId parse(String key) {
    int colon = key.indexOf(':');
    if (colon < 0) {
      return of(Escaping.unescape(key));
    }
    MessageId parsed =
        of(Escaping.unescape(key.substring(0, colon)), Long.parseLong(key.substring(colon + 1)));
    // Long.parseLong takes "+1" and "01" too: two texts must never mean one message.
    if (!parsed.key().equals(key)) {
      throw new IllegalArgumentException("not a message key: '" + key + "'");
    }
    return parsed;
  }
}
