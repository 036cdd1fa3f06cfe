/**
 * Time that a test moves by hand. Owns clocks only; what waits for them lives elsewhere. Never used
 * by anything that a user runs.
 */
@NullMarked
package dev.weir.testkit.time;

import org.jspecify.annotations.NullMarked;
