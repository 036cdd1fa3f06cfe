/**
 * The HTTP API: what each operation of {@code openapi.yaml} does with the store, how its requests
 * are read and its answers written. Talks to the ports alone; knows no verticle of the node, no
 * Redis and no metrics library.
 */
@NullMarked
package dev.weir.api;

import org.jspecify.annotations.NullMarked;
