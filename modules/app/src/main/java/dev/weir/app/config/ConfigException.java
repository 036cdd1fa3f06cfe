package dev.weir.app.config;

import java.util.List;

/** A configuration that can't be used, with everything that is wrong with it. */
public final class ConfigException extends RuntimeException {

  private final List<String> problems;

  ConfigException(String source, List<String> problems) {
    super(source + ": " + String.join("; ", problems));
    this.problems = List.copyOf(problems);
  }

  /** Each a sentence that names the key, what it was, and what is allowed. */
  public List<String> problems() {
    return problems;
  }
}
