package dev.weir.scenarios;

import org.jspecify.annotations.Nullable;

/**
 * @param only the one case to run; null runs all
 */
public record EvalOptions(@Nullable String only) {

  public static final EvalOptions ALL = new EvalOptions(null);
}
