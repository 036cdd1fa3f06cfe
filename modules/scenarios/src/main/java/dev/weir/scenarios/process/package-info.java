/**
 * The real processes that scenarios run: a node and a receiver from the one jar, their logs, their
 * signals. Owns only what it started, by process id, and ends all of it with this JVM.
 */
@NullMarked
package dev.weir.scenarios.process;

import org.jspecify.annotations.NullMarked;
