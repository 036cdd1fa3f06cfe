/** Nodes on the in-memory store with real HTTP servers, and the pure parts alone. */
@NullMarked
package dev.weir.node;

import org.jspecify.annotations.NullMarked;
