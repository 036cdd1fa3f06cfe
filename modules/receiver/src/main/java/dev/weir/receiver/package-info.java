/**
 * A scriptable endpoint for acceptance tests: answers by rule, keeps real rate limits, and logs
 * every arrival so that pacing and repeats can be judged afterwards. Owns the script's form, the
 * log's form and the exact check of a rate. Knows nothing of how a node works: whatever it says
 * about one, it says from what arrived.
 */
@NullMarked
package dev.weir.receiver;

import org.jspecify.annotations.NullMarked;
