package dev.weir.domain.message;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.text.Normalizer;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.StringLength;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

final class IdsTest {

  static Stream<String> oddIds() {
    String accent = "\u00e9";
    return Stream.of(
        "a:b",
        "a::b",
        "{x}",
        "*",
        "../x",
        "a\nb",
        " lead",
        "trail ",
        accent,
        Normalizer.normalize(accent, Normalizer.Form.NFD),
        "😀".repeat(32),
        "%3A",
        "a%",
        "\u0000",
        ".");
  }

  @ParameterizedTest
  @MethodSource("oddIds")
  void oddIdsSurviveEscapingAsPlainAscii(String id) {
    String escaped = Escaping.escape(id);
    assertThat(escaped).matches("[A-Za-z0-9._~%-]+");
    assertThat(Escaping.unescape(escaped)).isEqualTo(id);
    assertThat(MessageId.parse(MessageId.of(id).key())).isEqualTo(MessageId.of(id));
    assertThat(MessageId.parse(MessageId.of(id, 3).key())).isEqualTo(MessageId.of(id, 3));
  }

  @Test
  void oddIdsNeverMeet() {
    Set<String> keys = new HashSet<>();
    List<String> ids = oddIds().toList();
    for (String id : ids) {
      keys.add(Escaping.escape(id));
    }
    assertThat(keys).hasSameSizeAs(ids);
  }

  @Test
  void partsNeverShiftAcrossTheJoint() {
    assertThat(key("a", "b:c")).isNotEqualTo(key("a:b", "c"));
    assertThat(key("a", "b")).isEqualTo("a:b");
    assertThat(new DeliveryId(MessageId.of("a", 3), "b").key())
        .isEqualTo("a:b:3")
        .isNotEqualTo(key("a", "b:3"));
    assertThat(MessageId.of("a:3").key()).isNotEqualTo(MessageId.of("a", 3).key());
  }

  @Test
  void theKeyReadsAsTheDesignShowsIt() {
    assertThat(new DeliveryId(MessageId.of("shp_2048", 3), "store_17").key())
        .isEqualTo("shp_2048:store_17:3");
  }

  @Test
  void refusesIdsThatAreEmptyTooLongOrNoText() {
    assertThatThrownBy(() -> MessageId.of("")).hasMessageContaining("id must not be empty");
    assertThatThrownBy(() -> MessageId.of("é".repeat(129)))
        .hasMessageContaining("id is 258 bytes of UTF-8; the limit is 256");
    assertThatThrownBy(() -> MessageId.of("a\ud800")).hasMessageContaining("lone surrogate");
    assertThatThrownBy(() -> MessageId.of("a", -1)).hasMessageContaining("version must be 0");
    assertThatThrownBy(() -> new DeliveryId(MessageId.of("a"), "x".repeat(129)))
        .hasMessageContaining("subscriber is 129 bytes");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"a:", "a:x", "a:-1", "a:1:2", "a b", "%zz", "%e9", "", ":1", "a:+1", "a:01"})
  void parsesOnlyWhatItWrites(String key) {
    assertThatThrownBy(() -> MessageId.parse(key)).isInstanceOf(IllegalArgumentException.class);
  }

  @Property
  void differentPairsHaveDifferentKeys(
      @ForAll @StringLength(min = 1, max = 6) String id1,
      @ForAll @StringLength(min = 1, max = 6) String sub1,
      @ForAll @StringLength(min = 1, max = 6) String id2,
      @ForAll @StringLength(min = 1, max = 6) String sub2) {
    if (hasLoneSurrogate(id1 + "|" + sub1 + "|" + id2 + "|" + sub2)) {
      return;
    }
    boolean same = id1.equals(id2) && sub1.equals(sub2);
    assertThat(key(id1, sub1).equals(key(id2, sub2))).isEqualTo(same);
  }

  private static boolean hasLoneSurrogate(String text) {
    return !java.nio.charset.StandardCharsets.UTF_8.newEncoder().canEncode(text);
  }

  private static String key(String id, String subscriber) {
    return new DeliveryId(MessageId.of(id), subscriber).key();
  }
}
