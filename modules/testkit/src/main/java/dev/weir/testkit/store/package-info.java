/**
 * The store's contract and its stand-ins for unit tests. Owns {@code StoreContract}, which every
 * adapter of {@link dev.weir.protocol.store.Store} passes; {@code InMemoryStore}, the contract in
 * plain collections under a settable clock; and {@code FaultyStore}, which fails, holds or loses
 * replies on demand. Nothing here is durable, and nothing here is on a user's path.
 */
@NullMarked
package dev.weir.testkit.store;

import org.jspecify.annotations.NullMarked;
