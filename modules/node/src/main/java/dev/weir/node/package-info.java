/**
 * The verticles of a node, one file each, and what they share. Deliveries flow from the dispatcher
 * (claims) through a subscriber's verticle (pace, HTTP) to the retry verticle (settlements); the
 * home verticle finds what nobody was woken for; the quota verticle divides shared quotas.
 *
 * <p>Owns when something is done. Never what an answer comes to (that is {@code domain}) and never
 * how anything is stored (that is behind {@code protocol}).
 */
@NullMarked
package dev.weir.node;

import org.jspecify.annotations.NullMarked;
