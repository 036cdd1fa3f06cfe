/**
 * HTTP and JSON beneath the operations: the router that is built from the OpenAPI file, bounded
 * reading of bodies, problem+json, JSON read by its bytes and written without reflection. Knows no
 * subscriber, quota or delivery.
 */
@NullMarked
package dev.weir.api.http;

import org.jspecify.annotations.NullMarked;
