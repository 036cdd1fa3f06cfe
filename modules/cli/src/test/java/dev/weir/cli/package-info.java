/** The command line against a stub of the HTTP API: what is asked, shown and returned. */
@NullMarked
package dev.weir.cli;

import org.jspecify.annotations.NullMarked;
