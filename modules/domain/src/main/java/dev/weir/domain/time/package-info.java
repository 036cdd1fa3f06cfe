/**
 * How instants and durations are written: RFC 3339 with an explicit offset, and {@code 250ms} to
 * {@code 7d}. Text to number and back, the same whatever the server's time zone or locale; nothing
 * here reads a clock.
 */
@NullMarked
package dev.weir.domain.time;

import org.jspecify.annotations.NullMarked;
