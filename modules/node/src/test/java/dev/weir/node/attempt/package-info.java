/** The parts of an attempt, alone. */
@NullMarked
package dev.weir.node.attempt;

import org.jspecify.annotations.NullMarked;
