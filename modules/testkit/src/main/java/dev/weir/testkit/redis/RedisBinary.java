package dev.weir.testkit.redis;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Finds a server to run: {@code redis-server} of the PATH, else the one of the embedded jar. */
final class RedisBinary {

  private static final String VERSION = "7.0.15";

  private static @Nullable Path found;

  private RedisBinary() {}

  static synchronized Path find() throws IOException {
    Path known = found;
    if (known == null) {
      Path onPath = onPath();
      known = onPath == null ? extracted() : onPath;
      found = known;
    }
    return known;
  }

  private static @Nullable Path onPath() {
    String path = System.getenv("PATH");
    for (String folder : path == null ? new String[0] : path.split(":", -1)) {
      Path candidate = Path.of(folder, "redis-server");
      if (!folder.isEmpty() && Files.isExecutable(candidate)) {
        return candidate;
      }
    }
    return null;
  }

  private static Path extracted() throws IOException {
    String resource = "/redis-server-" + VERSION + "-" + os() + "-" + architecture();
    try (InputStream in = RedisBinary.class.getResourceAsStream(resource)) {
      if (in == null) {
        throw new IOException(
            "no redis-server on the PATH, and none for this platform on the classpath ("
                + resource
                + "); install Redis 6.2 or later");
      }
      Path file = Files.createTempFile("redis-server", "");
      Files.copy(in, file, StandardCopyOption.REPLACE_EXISTING);
      Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwx------"));
      file.toFile().deleteOnExit();
      return file;
    }
  }

  private static String os() {
    String name = System.getProperty("os.name").toLowerCase(Locale.ROOT);
    return name.contains("mac") ? "darwin" : "linux";
  }

  private static String architecture() {
    String name = System.getProperty("os.arch").toLowerCase(Locale.ROOT);
    return name.equals("aarch64") || name.equals("arm64") ? "arm64" : "amd64";
  }
}
