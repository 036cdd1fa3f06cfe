package dev.weir.scenarios.load;

import java.util.HashMap;
import java.util.Map;

/** What is said on the command line as {@code --name value}; each run reads what it knows. */
final class LoadOptions {

  private final Map<String, String> values;

  private LoadOptions(Map<String, String> values) {
    this.values = values;
  }

  static LoadOptions parse(String[] arguments, int from) {
    Map<String, String> values = new HashMap<>();
    for (int i = from; i < arguments.length; i += 2) {
      if (!arguments[i].startsWith("--") || i + 1 == arguments.length) {
        throw new IllegalArgumentException("options are --name value, not " + arguments[i]);
      }
      values.put(arguments[i].substring(2), arguments[i + 1]);
    }
    return new LoadOptions(values);
  }

  int number(String name, int otherwise) {
    String value = values.get(name);
    try {
      return value == null ? otherwise : Integer.parseInt(value);
    } catch (NumberFormatException e) {
      throw new IllegalArgumentException("--" + name + " takes a whole number, not " + value, e);
    }
  }

  String text(String name, String otherwise) {
    return values.getOrDefault(name, otherwise);
  }
}
