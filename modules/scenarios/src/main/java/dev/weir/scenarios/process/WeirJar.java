package dev.weir.scenarios.process;

import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.CodeSource;

/** Finds the runnable jar: what {@code -Dweir.jar} names, else the jar that holds this class. */
public final class WeirJar {

  public static final String PROPERTY = "weir.jar";

  private WeirJar() {}

  public static Path locate() {
    String named = System.getProperty(PROPERTY);
    Path jar = named == null ? ownJar() : Path.of(named);
    if (!Files.isRegularFile(jar)) {
      throw new ScenarioException(
          jar
              + " is no runnable jar; build it (./weir does) or name one with -D"
              + PROPERTY
              + "=FILE");
    }
    return jar.toAbsolutePath();
  }

  private static Path ownJar() {
    CodeSource source = WeirJar.class.getProtectionDomain().getCodeSource();
    try {
      return source == null ? Path.of("weir.jar") : Path.of(source.getLocation().toURI());
    } catch (URISyntaxException e) {
      throw new ScenarioException("can't tell where the running jar lies; use -D" + PROPERTY, e);
    }
  }
}
