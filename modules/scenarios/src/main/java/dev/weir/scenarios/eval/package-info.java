/**
 * The fixed cases of eval. Each has subscribers and paths of its own, so that they run beside each
 * other, and one invariant: one business operation, one durable outcome.
 */
@NullMarked
package dev.weir.scenarios.eval;

import org.jspecify.annotations.NullMarked;
