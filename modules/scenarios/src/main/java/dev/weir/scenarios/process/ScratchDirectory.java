package dev.weir.scenarios.process;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.stream.Stream;

/** A temporary directory that goes when it is closed, unless it is kept. */
public final class ScratchDirectory implements AutoCloseable {

  private final Path path;
  private boolean kept;

  private ScratchDirectory(Path path) {
    this.path = path;
  }

  public static ScratchDirectory create(String prefix) {
    try {
      return new ScratchDirectory(Files.createTempDirectory(prefix));
    } catch (IOException e) {
      throw new ScenarioException("can't create a temporary directory: " + e.getMessage(), e);
    }
  }

  public Path path() {
    return path;
  }

  public void keep() {
    kept = true;
  }

  @Override
  public void close() {
    if (kept) {
      return;
    }
    try (Stream<Path> all = Files.walk(path)) {
      all.sorted(Comparator.reverseOrder()).forEach(file -> file.toFile().delete());
    } catch (IOException | UncheckedIOException e) {
      // What is left lies in the system's temporary directory, which is cleaned anyway.
    }
  }
}
