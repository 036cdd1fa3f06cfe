/** The fakes pass the contract they stand in for. */
@NullMarked
package dev.weir.testkit.store;

import org.jspecify.annotations.NullMarked;
