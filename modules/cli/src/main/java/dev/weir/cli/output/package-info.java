/**
 * What a person reads: aligned tables, times with their age, colours where the terminal wants them.
 * Owns the rule that text from outside never reaches the terminal with control characters in it.
 */
@NullMarked
package dev.weir.cli.output;

import org.jspecify.annotations.NullMarked;
