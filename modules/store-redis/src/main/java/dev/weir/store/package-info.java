/**
 * The store on Redis: one class per port, one method and one Lua file per transition. Owns the
 * keys, the scripts and the shapes of their replies; nothing else in Weir sees any of them. Decides
 * no policy: what an outcome means was decided before it comes here.
 *
 * <p>Every transition is one script, so a crash falls between scripts, never inside one, and each
 * may run twice. Redis' own clock is the only one. See {@code lib.lua} for the layout of the data.
 */
@NullMarked
package dev.weir.store;

import org.jspecify.annotations.NullMarked;
