package dev.weir.store.connection;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import org.jspecify.annotations.Nullable;

/**
 * A Lua script, called by the digest of its source.
 *
 * @param name the transition's name, for errors and metrics
 * @param sha1 lower-case hex, as Redis computes it from the source
 */
public record Script(String name, String source, String sha1) {

  private static final String BASE = "/dev/weir/store/";
  private static final String LIBRARY = "lib";

  public static Script of(String name, String source) {
    return new Script(name, source, sha1(source));
  }

  /** The script {@code /dev/weir/store/<name>.lua}, after what it uses of {@code lib.lua}. */
  public static Script load(String name) {
    return load(name, "");
  }

  /**
   * As {@link #load(String)}.
   *
   * @param constants definitions in Lua that stand before those of the library
   */
  public static Script load(String name, String constants) {
    String source = resource(name);
    if (source == null) {
      throw new IllegalArgumentException("no script " + BASE + name + ".lua on the classpath");
    }
    String library = resource(LIBRARY);
    String shared = library == null ? constants : constants + library;
    return of(name, new ScriptLibrary(shared).neededBy(source) + source);
  }

  private static @Nullable String resource(String name) {
    try (InputStream in = Script.class.getResourceAsStream(BASE + name + ".lua")) {
      return in == null ? null : new String(in.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException("can't read the script " + name, e);
    }
  }

  private static String sha1(String source) {
    try {
      byte[] digest =
          MessageDigest.getInstance("SHA-1").digest(source.getBytes(StandardCharsets.UTF_8));
      return HexFormat.of().formatHex(digest);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java platform has SHA-1", e);
    }
  }

  @Override
  public String toString() {
    return name + " (" + sha1 + ")";
  }
}
