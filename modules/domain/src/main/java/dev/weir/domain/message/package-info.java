/**
 * What a producer publishes and how it is named. Owns ids and their escaping, and the limits of a
 * message; never the body's bytes (those stay opaque buffers in {@code protocol}) and never where
 * anything is stored.
 */
@NullMarked
package dev.weir.domain.message;

import org.jspecify.annotations.NullMarked;
