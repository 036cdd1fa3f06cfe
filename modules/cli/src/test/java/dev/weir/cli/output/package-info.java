/** Tables and times. */
@NullMarked
package dev.weir.cli.output;

import org.jspecify.annotations.NullMarked;
