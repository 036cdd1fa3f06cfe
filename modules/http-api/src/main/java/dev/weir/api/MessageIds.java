package dev.weir.api;

import java.security.SecureRandom;
import java.time.InstantSource;

/**
 * Ids for messages that come without one: 24 characters of Crockford base32, which sort by time (50
 * bits of ms) and can't be guessed (70 bits of chance).
 */
final class MessageIds {

  private static final String ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
  private static final int TIME_CHARS = 10;
  private static final int RANDOM_CHARS = 14;

  private final SecureRandom random = new SecureRandom();
  private final InstantSource clock;

  MessageIds(InstantSource clock) {
    this.clock = clock;
  }

  String next() {
    StringBuilder id = new StringBuilder(TIME_CHARS + RANDOM_CHARS);
    long nowMs = clock.millis();
    for (int i = TIME_CHARS - 1; i >= 0; i--) {
      id.append(ALPHABET.charAt((int) (nowMs >>> (5 * i)) & 31));
    }
    byte[] chance = new byte[RANDOM_CHARS];
    random.nextBytes(chance);
    for (byte b : chance) {
      id.append(ALPHABET.charAt(b & 31));
    }
    return id.toString();
  }
}
