/**
 * What the verticles say to each other: addresses, messages, codecs. Messages of the local bus are
 * immutable records passed by reference; those that cross nodes begin with a format version.
 */
@NullMarked
package dev.weir.protocol.bus;

import org.jspecify.annotations.NullMarked;
