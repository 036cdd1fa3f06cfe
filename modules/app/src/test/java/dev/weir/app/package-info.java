/** The program from outside: the launcher, the real jar as a process of its own. */
@NullMarked
package dev.weir.app;

import org.jspecify.annotations.NullMarked;
