package dev.weir.scenarios.demo;

import dev.weir.domain.message.MessageId;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Random;

/** The messages of the demo: the same for the same seed. */
public final class ShipmentUpdates {

  private static final String[] EVENTS = {
    "picked_up", "in_transit", "customs", "out_for_delivery", "delivered"
  };

  private ShipmentUpdates() {}

  /**
   * @param body JSON text whose every byte must arrive: odd spaces, an integer above 2^53
   */
  public record Update(MessageId id, List<String> to, String body) {

    /** The request to {@code /v1/queue/publish}, with the body's own bytes in it. */
    public String request() {
      return String.format(
          Locale.ROOT,
          "{\"to\":[\"%s\"],\"id\":\"%s\",\"version\":%d,\"type\":\"shipment.updated\",\"body\":%s}",
          String.join("\",\"", to),
          id.id(),
          id.version(),
          body);
    }

    public String sha256() {
      return ShipmentUpdates.sha256(body);
    }
  }

  public static List<Update> of(int count, long seed) {
    Random random = new Random(seed);
    List<Update> updates = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      // Two in a row are versions of one shipment: two messages that share an id.
      MessageId id = MessageId.of(String.format(Locale.ROOT, "shp_%06d", i / 2), 1 + i % 2);
      updates.add(new Update(id, targets(random), body(id, random)));
    }
    return List.copyOf(updates);
  }

  private static List<String> targets(Random random) {
    String first = pick(random);
    String second = pick(random);
    return random.nextInt(5) == 0 && !second.equals(first)
        ? List.of(first, second)
        : List.of(first);
  }

  private static String pick(Random random) {
    int at = random.nextInt(Cast.MEMBERS.stream().mapToInt(Cast.Member::weight).sum());
    for (Cast.Member member : Cast.MEMBERS) {
      at -= member.weight();
      if (at < 0) {
        return member.id();
      }
    }
    throw new IllegalStateException("the weights do not add up");
  }

  private static String body(MessageId id, Random random) {
    return String.format(
        Locale.ROOT,
        "{\"shipment\": \"%s\",  \"event\":\"%s\", \"parcel\": %d,\"weight\":%d.50 }",
        id.id(),
        EVENTS[random.nextInt(EVENTS.length)],
        9_007_199_254_740_993L + random.nextInt(1_000_000),
        random.nextInt(30));
  }

  static String sha256(String text) {
    try {
      return HexFormat.of()
          .formatHex(
              MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8)));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java platform has SHA-256", e);
    }
  }
}
