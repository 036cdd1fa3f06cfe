/**
 * One HTTP request of one delivery: its connection, its headers, its total deadline, what became of
 * it, and the line of trace that says so. Knows nothing of quotas, claims or the store's state; the
 * subscriber's verticle tells it when to connect and when to write.
 */
@NullMarked
package dev.weir.node.attempt;

import org.jspecify.annotations.NullMarked;
