package dev.weir.testkit.store;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Random lives of many deliveries: the store does what the model does, step by step. */
interface ModelContract extends ContractChapter {

  int STEPS = 600;

  @ParameterizedTest(name = "seed {0}")
  @ValueSource(longs = {1, 2, 3, 5, 8, 13})
  default void anyRandomSequenceGivesTheRepliesAndStatesOfTheModel(long seed) {
    new ModelRun(bench(), seed).run(STEPS);
  }
}
