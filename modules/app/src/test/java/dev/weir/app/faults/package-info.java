/**
 * Real processes, killed with real signals under load and held to account afterwards. What to
 * strike and how to judge is {@code scenarios}'; here are the rounds that every build runs.
 */
@NullMarked
package dev.weir.app.faults;

import org.jspecify.annotations.NullMarked;
