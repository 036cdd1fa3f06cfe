/**
 * Pacing arithmetic: rates, the token bucket, and how one quota is divided over holders. Exact
 * integers throughout (micro-tokens, nanoseconds), no clock of its own: every function is told the
 * time.
 */
@NullMarked
package dev.weir.domain.quota;

import org.jspecify.annotations.NullMarked;
