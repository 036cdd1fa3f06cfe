package dev.weir.domain.message;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class HeaderRulesTest {

  @Test
  void takesOrdinaryHeaders() {
    assertThatCode(
            () ->
                HeaderRules.require(
                    "headers",
                    Map.of("X-Tenant", "a b\tc", "Authorization", "Bearer x", "Empty", "")))
        .doesNotThrowAnyException();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "Host",
        "content-length",
        "Transfer-Encoding",
        "CONNECTION",
        "Idempotency-Key",
        "Weir-Attempt",
        "weir-anything",
        "Upgrade",
        "TE",
        "Trailer",
        "Expect",
        "Keep-Alive"
      })
  void keepsItsOwnAndTheConnectionsHeaders(String name) {
    assertThat(HeaderRules.isReserved(name)).isTrue();
    assertThatThrownBy(() -> HeaderRules.require("headers", Map.of(name, "x")))
        .hasMessageContaining("headers must not set '" + name + "'");
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "a b", "a:b", ":path", "a\r\nb", "é", "a\u0000", "a(b)", "\"a\""})
  void refusesNamesThatAreNoTokens(String name) {
    assertThatThrownBy(() -> HeaderRules.requireName("headers", name))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("no RFC 9110 token");
  }

  @ParameterizedTest
  @ValueSource(strings = {"a\r\nEvil: 1", "a\nb", "a\u0000b", "a\u007fb", "é", " a", "a ", "\ta"})
  void refusesValuesThatCouldSplitOrChange(String value) {
    assertThatThrownBy(() -> HeaderRules.requireValue("headers.X", value))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith("headers.X ");
  }

  @Test
  void refusesANameTwice() {
    Map<String, String> headers = new TreeMap<>(Map.of("X-A", "1", "x-a", "2"));
    assertThatThrownBy(() -> HeaderRules.require("headers", headers)).hasMessageContaining("twice");
  }

  @Test
  void refusesMoreThanSixteenKilobytes() {
    assertThatThrownBy(() -> HeaderRules.require("headers", Map.of("X", "a".repeat(16_384))))
        .hasMessageContaining("16385 bytes together; the limit is 16384");
  }
}
