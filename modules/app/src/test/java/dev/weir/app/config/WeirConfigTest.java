package dev.weir.app.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class WeirConfigTest {

  private static final Path REFERENCE = Path.of("../../cluster-config/weir.yaml");

  @TempDir private Path dir = Path.of("");

  @Test
  void theReferenceFileHoldsTheDefaults() {
    assertThat(WeirConfig.load(Optional.of(REFERENCE), List.of()))
        .isEqualTo(WeirConfig.load(Optional.empty(), List.of()));
  }

  @Test
  void theReferenceFileHoldsEveryKeyAndNoOther() {
    assertThat(paths("", ConfigFile.read(REFERENCE)))
        .containsExactlyInAnyOrderElementsOf(WeirConfig.keys());
  }

  @Test
  void everyKeyOfTheReferenceIsExplained() throws IOException {
    List<String> lines = Files.readAllLines(REFERENCE);
    for (int i = 1; i < lines.size(); i++) {
      if (lines.get(i).matches("  [a-zA-Z]+:.*")) {
        assertThat(lines.get(i - 1)).as("above '%s'", lines.get(i)).startsWith("  #");
      }
    }
  }

  @Test
  void everyProblemIsToldAtOnce() throws IOException {
    Path file =
        write(
            """
            http: {listen: 127.0.0.1}
            node: {drian: 5s, maxAttempts: many, name: "a b"}
            breaker: {failures: 0, firstPause: 1h, longestPause: 1min}
            keep: {ledger: 1d, traces: 5}
            log: {level: loud}
            redis: hello
            colour: blue
            """);

    assertThat(problemsOf(file))
        .satisfiesExactlyInAnyOrder(
            problem -> assertThat(problem).startsWith("http.listen: must be HOST:PORT"),
            problem ->
                assertThat(problem)
                    .isEqualTo("node.drian: is not a known key; did you mean 'node.drain'?"),
            problem -> assertThat(problem).contains("node.maxAttempts: 'many' is not a whole"),
            problem -> assertThat(problem).startsWith("node.name: must be 1 to 64 of"),
            problem -> assertThat(problem).isEqualTo("breaker.failures: must be 1 to 1000, was 0"),
            problem -> assertThat(problem).contains("breaker.longestPause: must not be below"),
            problem -> assertThat(problem).isEqualTo("keep.ledger: must be 8d to 366d, was 1d"),
            problem -> assertThat(problem).contains("keep.traces: '5' is no duration"),
            problem -> assertThat(problem).startsWith("log.level: must be one of error, warn"),
            problem -> assertThat(problem).startsWith("redis: must hold keys of its own"),
            problem -> assertThat(problem).startsWith("colour: is not a known key"));
  }

  @Test
  void optionsGoBeforeTheFileAndAreBlamedByTheirName() throws IOException {
    Path file = write("http: {listen: '127.0.0.1:1'}\nnode: {name: file}\n");
    List<ConfigOverride> options =
        List.of(
            new ConfigOverride("--http", "http.listen", "127.0.0.1:2"),
            new ConfigOverride("--node", "node.name", "option"));

    WeirConfig config = WeirConfig.load(Optional.of(file), options);

    assertThat(config.http().port()).isEqualTo(2);
    assertThat(config.node().settings().name()).isEqualTo("option");
    assertThat(problemsOf(file, new ConfigOverride("--http", "http.listen", "nowhere")).get(0))
        .startsWith("--http: must be HOST:PORT");
  }

  @ParameterizedTest
  @CsvSource({"0.0.0.0:8080", "'[::]:8080'", "192.0.2.1:80"})
  void listeningBeyondLoopbackIsRefusedUntilThereAreTokens(String listen) {
    assertThat(problemsOf(null, new ConfigOverride("--http", "http.listen", listen)).get(0))
        .contains("can be reached from other machines");
  }

  @ParameterizedTest
  @CsvSource({"127.0.0.1:8080", "'[::1]:0'", "localhost:65535", "127.0.0.2:1"})
  void loopbackHasManyNames(String listen) {
    assertThat(ListenAddress.parse(listen)).hasToString(listen);
  }

  @Test
  void aPasswordIsInNoMessage() throws IOException {
    Path file = write("redis: {url: 'redis://weir:hunter2@127.0.0.1:6379/x'}\n");

    assertThat(problemsOf(file).get(0)).startsWith("redis.url").doesNotContain("hunter2");

    Path good = write("redis: {url: 'redis://weir:hunter2@127.0.0.1:6379/1'}\n");
    assertThat(WeirConfig.load(Optional.of(good), List.of()).toString())
        .contains("127.0.0.1:6379/1")
        .doesNotContain("hunter2");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "'a: b: c'|line 1, column 5: not YAML",
        "'- a'|'key: value'",
        "'log: {level: info}\nlog: {level: warn}'|duplicate key"
      })
  void whatIsNoMapOfKeysIsRefusedWithItsPlace(String text, String said) throws IOException {
    assertThat(problemsOf(write(text)).get(0)).contains(said);
  }

  @Test
  void aFileThatIsMissingIsNamed() {
    assertThat(problemsOf(dir.resolve("none.yaml"))).containsExactly("there is no such file");
  }

  @Test
  void anEmptyFileIsTheDefaults() throws IOException {
    assertThat(WeirConfig.load(Optional.of(write("# nothing\n")), List.of()))
        .isEqualTo(WeirConfig.load(Optional.empty(), List.of()));
  }

  private Path write(String text) throws IOException {
    return Files.writeString(Files.createTempFile(dir, "weir", ".yaml"), text);
  }

  private static List<String> problemsOf(
      @org.jspecify.annotations.Nullable Path file, ConfigOverride... options) {
    ConfigException refusal =
        catchThrowableOfType(
            ConfigException.class,
            () -> WeirConfig.load(Optional.ofNullable(file), List.of(options)));
    assertThat(refusal).isNotNull();
    return refusal.problems();
  }

  private static List<String> paths(String prefix, Map<?, ?> level) {
    List<String> paths = new ArrayList<>();
    level.forEach(
        (key, value) -> {
          if (value instanceof Map<?, ?> inner) {
            paths.addAll(paths(prefix + key + ".", inner));
          } else {
            paths.add(prefix + key);
          }
        });
    return paths;
  }
}
