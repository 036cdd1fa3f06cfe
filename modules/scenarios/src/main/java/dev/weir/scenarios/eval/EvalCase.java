package dev.weir.scenarios.eval;

/**
 * One fixed case.
 *
 * @param name for {@code --case}
 * @param claim what must hold
 * @param rules what the receiver answers at the case's path (and everything below it), YAML
 * @param ownNode whether it hurts its node or the store, and so runs on one beside the others'
 */
public record EvalCase(String name, String claim, String rules, boolean ownNode, Play play) {

  /** Acts, and throws {@link CaseFailed} when the claim does not hold. */
  public interface Play {
    void run(Stage stage);
  }

  /** Where its subscribers' endpoints lie. */
  String path() {
    return "/" + name;
  }
}
