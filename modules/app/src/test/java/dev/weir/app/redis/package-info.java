/**
 * What becomes of deliveries when Redis fails: killed, frozen, full, emptied, its replies lost.
 * Each test runs the jar as a process against a Redis of its own and looks from outside: what the
 * producer was answered, what arrived at the receiver, what the balance says.
 */
@NullMarked
package dev.weir.app.redis;

import org.jspecify.annotations.NullMarked;
