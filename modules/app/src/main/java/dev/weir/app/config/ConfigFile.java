package dev.weir.app.config;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;
import org.snakeyaml.engine.v2.exceptions.MarkedYamlEngineException;
import org.snakeyaml.engine.v2.exceptions.YamlEngineException;

/** Reads a YAML file into plain maps; what it means is {@link WeirConfig}'s business. */
final class ConfigFile {

  private ConfigFile() {}

  static Map<?, ?> read(Path file) {
    Object document = parse(file, text(file));
    if (document == null) {
      return Map.of();
    }
    if (document instanceof Map<?, ?> map) {
      return map;
    }
    throw new ConfigException(
        file.toString(), List.of("must hold 'key: value' lines, but holds a list or one value"));
  }

  private static String text(Path file) {
    try {
      return Files.readString(file);
    } catch (NoSuchFileException e) {
      throw new ConfigException(file.toString(), List.of("there is no such file"));
    } catch (IOException e) {
      throw new ConfigException(file.toString(), List.of("can't be read: " + e));
    }
  }

  private static @Nullable Object parse(Path file, String text) {
    LoadSettings settings =
        LoadSettings.builder().setLabel(file.toString()).setAllowDuplicateKeys(false).build();
    try {
      return new Load(settings).loadFromString(text);
    } catch (MarkedYamlEngineException e) {
      String where =
          e.getProblemMark()
              .map(mark -> "line " + (mark.getLine() + 1) + ", column " + (mark.getColumn() + 1))
              .orElse("somewhere");
      throw new ConfigException(file.toString(), List.of(where + ": not YAML: " + e.getProblem()));
    } catch (YamlEngineException e) {
      throw new ConfigException(file.toString(), List.of("not YAML: " + e.getMessage()));
    }
  }
}
