/**
 * The way to Redis: held connections that heal themselves, scripts by their digest, the embedded
 * server and the checks at start. Owns sockets, deadlines, reconnects and the mapping of every
 * failure to a {@link dev.weir.protocol.store.StoreException}; never a key, and never what a script
 * does.
 *
 * <p>Two promises hold for all of it: a future always completes, and a command is never repeated
 * here, because after a lost reply nobody knows whether it ran.
 */
@NullMarked
package dev.weir.store.connection;

import org.jspecify.annotations.NullMarked;
