package dev.weir.app;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The shell script, with a java and a Maven that only say how they were called. */
class LauncherTest {

  private static final Path LAUNCHER = Path.of("../../weir").toAbsolutePath().normalize();

  @TempDir private Path temp = Path.of("");

  private Path root = Path.of("");
  private Path javaHome = Path.of("");

  private record Run(int exit, String out, String err) {}

  @BeforeEach
  void layOut() throws IOException {
    root = Files.createDirectories(temp.resolve("a clone"));
    Files.copy(LAUNCHER, root.resolve("weir"));
    root.resolve("weir").toFile().setExecutable(true);
    Files.writeString(root.resolve("pom.xml"), "");
    Files.createDirectories(root.resolve("modules/app/src/main"));
    Files.writeString(root.resolve("modules/app/src/main/Main.java"), "");
    javaHome = temp.resolve("a jdk");
    script(javaHome.resolve("bin/java"), "for word; do echo \"[$word]\"; done");
    release("17.0.15");
  }

  @Test
  void argumentsArriveAsTheyWere() throws Exception {
    jarIsBuilt();

    Run run = run(temp, root.resolve("weir").toString(), "publish", "--body", "two  words", "");

    assertThat(run.err()).isEmpty();
    assertThat(run.out())
        .contains("[" + root.resolve("modules/app/target/weir.jar") + "]")
        .endsWith("[publish]\n[--body]\n[two  words]\n[]\n");
    assertThat(run.exit()).isZero();
  }

  @Test
  void itFindsItsDirectoryThroughSymbolicLinks() throws Exception {
    jarIsBuilt();
    Path bin = Files.createDirectories(temp.resolve("bin"));
    Files.createSymbolicLink(bin.resolve("weir-1"), Path.of("../a clone/weir"));
    Files.createSymbolicLink(bin.resolve("weir"), bin.resolve("weir-1"));

    assertThat(run(bin, "./weir", "balance").out())
        .contains("[" + root.resolve("modules/app/target/weir.jar") + "]");
  }

  @Test
  void onlyClientsGetTheFlagsOfAShortLife() throws Exception {
    jarIsBuilt();

    assertThat(run(root, "./weir", "balance").out()).contains("[-XX:TieredStopAtLevel=1]");
    assertThat(run(root, "./weir", "server").out()).doesNotContain("-XX");
  }

  @Test
  void optionsForTheJvmArePassed() throws Exception {
    jarIsBuilt();

    Run run = run(root, Map.of("WEIR_JAVA_OPTS", "-Xmx1g -Da=b"), "./weir", "server");

    assertThat(run.out()).startsWith("[-Xmx1g]\n[-Da=b]\n[-jar]\n");
  }

  @Test
  void aMissingJarIsBuiltAndStdoutStaysClean() throws Exception {
    Run run = run(root, Map.of("MVN", mavenThatBuilds()), "./weir", "balance");

    assertThat(run.err()).contains("weir: building").contains("-Dmaven.test.skip=true");
    assertThat(run.out()).doesNotContain("package").contains("[balance]");
    assertThat(root.resolve("modules/app/target/build-lock")).doesNotExist();
  }

  @Test
  void aJarOlderThanASourceIsBuiltAgain() throws Exception {
    jarIsBuilt();
    newer(root.resolve("modules/app/src/main/Main.java"));

    assertThat(run(root, Map.of("MVN", mavenThatBuilds()), "./weir", "balance").err())
        .contains("weir: building");
  }

  @Test
  void aChangedTestIsNoReasonToBuild() throws Exception {
    jarIsBuilt();
    Files.createDirectories(root.resolve("modules/app/src/test/java"));
    newer(Files.writeString(root.resolve("modules/app/src/test/java/ATest.java"), ""));

    assertThat(run(root, "./weir", "balance").err()).isEmpty();
  }

  @Test
  void withoutMavenItSaysWhatIsMissing() throws Exception {
    Run run = run(root, Map.of("MVN", "no-such-maven"), "./weir", "balance");

    assertThat(run.exit()).isEqualTo(70);
    assertThat(run.err()).contains("there is no Maven to build it");
  }

  @Test
  void aFailedBuildIsNoSuccess() throws Exception {
    Run run = run(root, Map.of("MVN", script(temp.resolve("mvn"), "exit 1")), "./weir", "balance");

    assertThat(run.exit()).isEqualTo(70);
    assertThat(run.err()).contains("the build failed");
    assertThat(root.resolve("modules/app/target/build-lock")).doesNotExist();
  }

  @Test
  void theLockOfAProcessThatIsGoneIsTakenOver() throws Exception {
    Path lock = Files.createDirectories(root.resolve("modules/app/target/build-lock"));
    Process gone = new ProcessBuilder("true").start();
    gone.waitFor();
    Files.writeString(lock.resolve("pid"), Long.toString(gone.pid()));

    assertThat(run(root, Map.of("MVN", mavenThatBuilds()), "./weir", "balance").exit()).isZero();
  }

  @Test
  void anOldJavaIsRefused() throws Exception {
    jarIsBuilt();
    release("11.0.2");

    Run run = run(root, "./weir", "balance");

    assertThat(run.exit()).isEqualTo(70);
    assertThat(run.err()).contains("is Java 11.0.2").contains("17 or newer");
  }

  private String mavenThatBuilds() throws IOException {
    return script(
        temp.resolve("mvn"),
        "echo \"$@\"; mkdir -p modules/app/target; : >modules/app/target/weir.jar");
  }

  private void jarIsBuilt() throws IOException {
    Path jar = root.resolve("modules/app/target/weir.jar");
    Files.createDirectories(jar.getParent());
    newer(Files.writeString(jar, ""));
  }

  private static void newer(Path file) throws IOException {
    Files.setLastModifiedTime(file, FileTime.from(Instant.now().plusSeconds(60)));
  }

  private void release(String version) throws IOException {
    Files.writeString(javaHome.resolve("release"), "JAVA_VERSION=\"" + version + "\"\n");
  }

  private static String script(Path file, String body) throws IOException {
    Files.createDirectories(file.getParent());
    Files.writeString(file, "#!/bin/sh\n" + body + "\n");
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
    return file.toString();
  }

  private Run run(Path directory, String... command) throws Exception {
    return run(directory, Map.of(), command);
  }

  private Run run(Path directory, Map<String, String> environment, String... command)
      throws Exception {
    List<String> words = new ArrayList<>(List.of("/bin/sh"));
    words.addAll(List.of(command));
    Path out = Files.createTempFile(temp, "out", "");
    Path err = Files.createTempFile(temp, "err", "");
    ProcessBuilder builder =
        new ProcessBuilder(words)
            .directory(directory.toFile())
            .redirectOutput(out.toFile())
            .redirectError(err.toFile());
    builder.environment().remove("JAVA_OPTS");
    builder.environment().remove("WEIR_JAVA_OPTS");
    builder.environment().put("JAVA_HOME", javaHome.toString());
    builder.environment().putAll(environment);
    Process process = builder.start();
    assertThat(process.waitFor(30, TimeUnit.SECONDS)).as("the launcher ended").isTrue();
    return new Run(
        process.exitValue(),
        Files.readString(out, StandardCharsets.UTF_8),
        Files.readString(err, StandardCharsets.UTF_8));
  }
}
