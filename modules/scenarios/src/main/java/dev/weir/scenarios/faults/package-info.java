/**
 * Rounds of faults under load: the node killed, ended or its Redis killed, over and over, on the
 * same data. Owns the load, the blows and the verdict: the balance holds, every accepted delivery
 * comes to an end, and every repeat that the receiver saw was in flight at a blow.
 */
@NullMarked
package dev.weir.scenarios.faults;

import org.jspecify.annotations.NullMarked;
