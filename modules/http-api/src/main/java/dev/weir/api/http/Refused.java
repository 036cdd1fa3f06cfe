package dev.weir.api.http;

/**
 * Ends the handling of a request with a problem; no fault of the node, so without a stack trace.
 */
public final class Refused extends RuntimeException {

  private final transient Problem problem;

  Refused(Problem problem) {
    super(problem.detail(), null, false, false);
    this.problem = problem;
  }

  public Problem problem() {
    return problem;
  }
}
