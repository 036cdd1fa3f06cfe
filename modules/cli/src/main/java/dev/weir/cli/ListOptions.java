package dev.weir.cli;

import picocli.CommandLine.Option;

/** How much of a list to fetch. */
final class ListOptions {

  @Option(
      names = "--limit",
      paramLabel = "N",
      defaultValue = "100",
      description = "Show at most N, over as many pages as it takes. Default: 100.")
  private int limit;

  int limit(NodeOptions options) {
    if (limit < 1) {
      throw options.usage("--limit must be 1 or more, was " + limit);
    }
    return limit;
  }
}
