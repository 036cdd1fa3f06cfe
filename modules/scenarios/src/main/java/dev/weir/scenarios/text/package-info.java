/** What scenarios show in a terminal: tables, bars, numbers. Pure text; never prints by itself. */
@NullMarked
package dev.weir.scenarios.text;

import org.jspecify.annotations.NullMarked;
