package dev.weir.store.connection;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RedisBinariesTest {

  @ParameterizedTest
  @CsvSource({
    "Linux, amd64, /redis-server-7.0.15-linux-amd64",
    "Linux, aarch64, /redis-server-7.0.15-linux-arm64",
    "Linux, i386, /redis-server-7.0.15-linux-386",
    "Mac OS X, x86_64, /redis-server-7.0.15-darwin-amd64",
    "Mac OS X, aarch64, /redis-server-7.0.15-darwin-arm64"
  })
  void bundledServerOfEachPlatformExists(String os, String architecture, String resource) {
    assertThat(RedisBinaries.resource(os, architecture)).isEqualTo(resource);
    assertThat(RedisBinaries.class.getResource(resource)).isNotNull();
  }

  @ParameterizedTest
  @CsvSource({"Windows 11, amd64", "Linux, riscv64", "Mac OS X, x86"})
  void otherPlatformsHaveNone(String os, String architecture) {
    assertThat(RedisBinaries.resource(os, architecture)).isNull();
  }

  @Test
  void firstExecutableOfThePathIsTaken(@TempDir Path temp) throws IOException {
    Path plain = Files.createDirectories(temp.resolve("plain"));
    Files.createFile(plain.resolve("redis-server"));
    Path good = Files.createDirectories(temp.resolve("good"));
    assertThat(Files.createFile(good.resolve("redis-server")).toFile().setExecutable(true))
        .isTrue();
    assertThat(RedisBinaries.onPath(":" + plain + ":" + good))
        .isEqualTo(good.resolve("redis-server"));
    assertThat(RedisBinaries.onPath(plain.toString())).isNull();
    assertThat(RedisBinaries.onPath(null)).isNull();
  }

  @Test
  void bundledServerComesFirstAndIsLaidOutOnce(@TempDir Path temp) throws IOException {
    List<Path> first = RedisBinaries.candidates(temp.resolve("bin"));
    assertThat(first.get(0)).startsWith(temp).isExecutable();
    assertThat(RedisBinaries.candidates(temp.resolve("bin"))).isEqualTo(first);
    try (var files = Files.list(temp.resolve("bin"))) {
      assertThat(files).hasSize(1);
    }
  }
}
