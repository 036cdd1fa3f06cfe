package dev.weir.domain.message;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.URI;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.Chars;
import net.jqwik.api.constraints.StringLength;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class PathTest {

  @ParameterizedTest
  @ValueSource(
      strings = {
        "/",
        "/orders/7",
        "/orders/7?x=1&y=a..b",
        "/a..b/c",
        "/a/./b",
        "/a//b",
        "/%C3%A9",
        "/...",
        "/x?next=//elsewhere",
        "/a@b:80/c",
        "/x?filter[a]=1"
      })
  void takesWhatStaysOnTheHost(String path) {
    assertThatCode(() -> Path.require(path)).doesNotThrowAnyException();
  }

  @ParameterizedTest
  @CsvSource(
      quoteCharacter = '"',
      value = {
        "\"\",            must begin with '/'",
        "orders/7,          must begin with '/'",
        "@evil.example/x,   must begin with '/'",
        "http://evil/x,     must begin with '/'",
        "//evil.example/x,  another host",
        "/a/../b,           '..' segment",
        "/..,               '..' segment",
        "/a/%2e%2E/b,       '..' segment",
        "/a/.%2e/b,         '..' segment",
        "/a%2f..%2Fb,       '..' segment",
        "/a/..;x=1/b,       '..' segment",
        "/a#b,              fragment",
        "/a b,              position 2",
        "/é,                position 1",
        "/a\\b,             some servers",
        "/a%2,              two hex digits",
        "/a%zz,             two hex digits",
      })
  void refusesWhatCouldLeaveItAndSaysWhy(String path, String why) {
    assertThatThrownBy(() -> Path.require(path))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith("path ")
        .hasMessageContaining(why);
  }

  @ParameterizedTest
  @ValueSource(strings = {"/a\r\nHost: evil", "/a\u0000", "/a\u007f", "/a\t"})
  void refusesControlCharacters(String path) {
    assertThatThrownBy(() -> Path.require(path)).isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void refusesOverlongPaths() {
    assertThatThrownBy(() -> Path.require("/" + "a".repeat(Path.MAX_CHARS)))
        .hasMessageContaining("the limit is 2048");
  }

  @ParameterizedTest
  @CsvSource(
      nullValues = "-",
      value = {
        "https://h.example,          -,          /",
        "https://h.example/in,       -,          /in",
        "https://h.example/in?k=1,   -,          /in?k=1",
        "https://h.example,          /orders/7,  /orders/7",
        "https://h.example/,         /orders/7,  /orders/7",
        "https://h.example/in,       /orders/7,  /in/orders/7",
        "https://h.example/in/,      /orders/7,  /in/orders/7",
        "https://h.example/in?k=1,   /o?x=2,     /in/o?k=1&x=2",
        "https://h.example/in,       /o?x=2,     /in/o?x=2",
        "https://h.example/in?k=1,   /o,         /in/o?k=1",
        "https://h.example/a%20b,    /c%2Fd,     /a%20b/c%2Fd",
      })
  void appendsToTheEndpointByteForByte(URI endpoint, String path, String target) {
    assertThat(Path.target(endpoint, path)).isEqualTo(target);
  }

  @Property
  void anAcceptedPathNeverChangesTheHost(
      @ForAll
          @Chars({'/', '.', '@', ':', '?', '%', '2', 'e', 'f', '\\', 'a', '#'})
          @StringLength(max = 12)
          String tail) {
    String path = "/" + tail;
    try {
      Path.require(path);
    } catch (IllegalArgumentException refused) {
      return;
    }
    URI endpoint = URI.create("http://good.example:81/base/x");
    URI called = endpoint.resolve(Path.target(endpoint, path)).normalize();
    assertThat(called.getHost()).isEqualTo("good.example");
    assertThat(called.getPort()).isEqualTo(81);
    assertThat(called.getRawPath()).startsWith("/base/x");
  }
}
