/**
 * A destination and how to treat it: endpoint, quota, in-flight cap, retry and status policy.
 * Records that check their own bounds; nothing here talks to anything.
 */
@NullMarked
package dev.weir.domain.subscriber;

import org.jspecify.annotations.NullMarked;
