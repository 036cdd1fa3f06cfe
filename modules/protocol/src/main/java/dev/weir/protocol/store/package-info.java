/**
 * The store as its callers need it: one port per caller, all asynchronous, all durable when their
 * future completes. Owns the shapes that cross the port; never a key, a script or a reply of Redis.
 *
 * <p>Every method may be repeated after its reply was lost, and gives the state that a single
 * execution would have given. Futures fail with {@link dev.weir.protocol.store.StoreException},
 * whose kind says what the caller does next; expected outcomes are values. Futures complete on the
 * caller's context.
 */
@NullMarked
package dev.weir.protocol.store;

import org.jspecify.annotations.NullMarked;
