/**
 * The parts of the demo: who is subscribed, what is published, what is shown meanwhile, and the
 * verdict, which is a pure function of what was published, what the node says and what arrived.
 */
@NullMarked
package dev.weir.scenarios.demo;

import org.jspecify.annotations.NullMarked;
