package dev.weir.cli;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** {@code --header 'Name: value'}, as curl writes it. */
final class HeaderOption {

  private HeaderOption() {}

  static Map<String, String> parse(List<String> lines, NodeOptions options) {
    Map<String, String> headers = new LinkedHashMap<>();
    for (String line : lines) {
      int colon = line.indexOf(':');
      if (colon < 1) {
        throw options.usage("--header '" + line + "' is not of the form 'Name: value'");
      }
      String name = line.substring(0, colon).strip();
      if (headers.put(name, line.substring(colon + 1).strip()) != null) {
        throw options.usage("--header " + name + " is given twice");
      }
    }
    return headers;
  }
}
