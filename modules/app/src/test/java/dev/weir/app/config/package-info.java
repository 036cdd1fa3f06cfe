/** The configuration file against the code. */
@NullMarked
package dev.weir.app.config;

import org.jspecify.annotations.NullMarked;
