package dev.weir.scenarios.eval;

/** What a case found wrong, in a sentence. */
public final class CaseFailed extends RuntimeException {

  CaseFailed(String message) {
    super(message);
  }
}
