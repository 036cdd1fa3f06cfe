/**
 * Blocking clients of a node's and a receiver's HTTP interfaces, as any outsider would write them.
 */
@NullMarked
package dev.weir.scenarios.client;

import org.jspecify.annotations.NullMarked;
