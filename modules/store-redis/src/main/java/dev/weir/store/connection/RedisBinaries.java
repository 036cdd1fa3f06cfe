package dev.weir.store.connection;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * The servers that could be run here, best first: the bundled one, laid out under the data
 * directory (never in the temporary one, which may be mounted noexec or swept), then {@code
 * redis-server} of the PATH.
 */
final class RedisBinaries {

  private static final String VERSION = "7.0.15";

  private RedisBinaries() {}

  static List<Path> candidates(Path bin) throws IOException {
    List<Path> found = new ArrayList<>();
    Path bundled = bundled(bin);
    if (bundled != null) {
      found.add(bundled);
    }
    Path installed = onPath(System.getenv("PATH"));
    if (installed != null) {
      found.add(installed);
    }
    return found;
  }

  static @Nullable String resource(String osName, String osArch) {
    String os = osName.toLowerCase(Locale.ROOT);
    String system = os.contains("linux") ? "linux" : os.contains("mac") ? "darwin" : "";
    String architecture =
        switch (osArch.toLowerCase(Locale.ROOT)) {
          case "amd64", "x86_64", "x64" -> "amd64";
          case "aarch64", "arm64" -> "arm64";
          case "x86", "i386", "i486", "i586", "i686" -> "386";
          default -> "";
        };
    boolean exists =
        !system.isEmpty()
            && !architecture.isEmpty()
            && !(system.equals("darwin") && architecture.equals("386"));
    return exists ? "/redis-server-" + VERSION + "-" + system + "-" + architecture : null;
  }

  static @Nullable Path onPath(@Nullable String path) {
    for (String folder : path == null ? new String[0] : path.split(":", -1)) {
      if (!folder.isEmpty() && Files.isExecutable(Path.of(folder, "redis-server"))) {
        return Path.of(folder, "redis-server").toAbsolutePath();
      }
    }
    return null;
  }

  private static @Nullable Path bundled(Path bin) throws IOException {
    String resource = resource(System.getProperty("os.name"), System.getProperty("os.arch"));
    if (resource == null) {
      return null;
    }
    try (InputStream in = RedisBinaries.class.getResourceAsStream(resource)) {
      return in == null ? null : laidOut(in, bin);
    }
  }

  private static Path laidOut(InputStream in, Path bin) throws IOException {
    Path file = bin.resolve("redis-server-" + VERSION);
    if (Files.isExecutable(file)) {
      return file;
    }
    Files.createDirectories(bin);
    // Moved into place whole, so that a kill in the middle leaves no half of a program there.
    Path part = bin.resolve("redis-server.part");
    Files.copy(in, part, StandardCopyOption.REPLACE_EXISTING);
    Files.setPosixFilePermissions(part, PosixFilePermissions.fromString("rwx------"));
    return Files.move(part, file, StandardCopyOption.ATOMIC_MOVE);
  }
}
