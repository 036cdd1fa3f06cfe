/** Tests of the store on a real Redis process. */
@NullMarked
package dev.weir.store;

import org.jspecify.annotations.NullMarked;
