package dev.weir.cli.api;

import dev.weir.cli.ExitCodes;
import org.jspecify.annotations.Nullable;

/**
 * An operation that a node refused or never heard of. Its message is what the user reads: what
 * failed, at which URL, and what to do.
 */
public final class NodeFailure extends RuntimeException {

  private final int exitCode;
  private final @Nullable String body;

  private NodeFailure(int exitCode, String message, @Nullable String body) {
    super(message);
    this.exitCode = exitCode;
    this.body = body;
  }

  static NodeFailure unreachable(String message) {
    return new NodeFailure(ExitCodes.UNREACHABLE, message, null);
  }

  static NodeFailure answered(int status, String message, String body) {
    return new NodeFailure(
        status >= 500 ? ExitCodes.SERVER_ERROR : ExitCodes.REFUSED, message, body);
  }

  public int exitCode() {
    return exitCode;
  }

  /** The answer's own body, for {@code --json}; null when there was no answer. */
  public @Nullable String body() {
    return body;
  }
}
