/**
 * How subscribers get their share of a quota. Owns the port and its messages; the arithmetic is
 * {@code domain}'s.
 */
@NullMarked
package dev.weir.protocol.quota;

import org.jspecify.annotations.NullMarked;
