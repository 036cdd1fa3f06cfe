/**
 * Runs with real processes: the demo, the fixed cases of eval, and rounds of faults. Owns the
 * traffic, the script of the other side and the verdict; never looks into a node but through its
 * HTTP API, and never into a receiver but through its log.
 */
@NullMarked
package dev.weir.scenarios;

import org.jspecify.annotations.NullMarked;
