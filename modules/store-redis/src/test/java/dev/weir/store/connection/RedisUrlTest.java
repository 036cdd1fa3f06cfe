package dev.weir.store.connection;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class RedisUrlTest {

  @Test
  void hostAloneGetsTheUsualPortAndDb() {
    assertThat(RedisUrl.parse("redis://cache.internal"))
        .isEqualTo(new RedisUrl(false, "cache.internal", 6379, null, null, 0));
  }

  @Test
  void everyPartIsRead() {
    assertThat(RedisUrl.parse("rediss://weir:s3cret@10.0.0.7:6380/3"))
        .isEqualTo(new RedisUrl(true, "10.0.0.7", 6380, "weir", "s3cret", 3));
  }

  @Test
  void passwordWithoutUserIsThatOfTheDefaultUser() {
    assertThat(RedisUrl.parse("redis://:a%40b%2Fc+d@h").password()).isEqualTo("a@b/c+d");
    assertThat(RedisUrl.parse("redis://:x@h").user()).isNull();
  }

  @Test
  void ipv6HostsStandInBrackets() {
    RedisUrl url = RedisUrl.parse("redis://[::1]:7000/0");
    assertThat(url.host()).isEqualTo("::1");
    assertThat(url.address()).isEqualTo("[::1]:7000");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "redis://h/0",
        "rediss://:p%2B%20%25x@h:1/2",
        "redis://u:p%40@[fe80::1]:9/15",
        "redis://u%3A:%3A@h:6379/0"
      })
  void connectionStringParsesToTheSame(String text) {
    RedisUrl url = RedisUrl.parse(text);
    assertThat(RedisUrl.parse(url.connectionString())).isEqualTo(url);
  }

  @Test
  void passwordIsNeverShown() {
    assertThat(RedisUrl.parse("redis://weir:s3cret@h:1/2")).hasToString("redis://weir:***@h:1/2");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          http://u:s3cret@h           | begins with neither redis:// nor rediss://
          redis://s3cret@h            | has a user but no password
          redis://u:s3cret@h/abc      | where the number of a db belongs
          redis://u:s3cret@h/0?db=1   | has a '?' or '#' part
          redis://u:s3cret@h:70000    | must be 1 to 65535, not 70000
          redis://u:s3cret@           | names no host
          redis://u:s3cret@h_x        | names no host
          redis://u:s3cret{@h         | is not a URL
          redis://u:s3cret@h:0x1      | names no host
          h:6379                      | begins with neither redis:// nor rediss://
          """)
  void whatCannotBeIsRefusedWithTheReasonAndWithoutThePassword(String text, String reason) {
    assertThatThrownBy(() -> RedisUrl.parse(text))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(reason)
        .hasMessageNotContaining("s3cret")
        .hasNoCause();
  }
}
