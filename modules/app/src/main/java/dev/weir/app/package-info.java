/**
 * The program: main, the {@code server} command, and the wiring that gives each part its
 * collaborators in the right order. The one module that sees every other; it decides nothing about
 * deliveries.
 */
@NullMarked
package dev.weir.app;

import org.jspecify.annotations.NullMarked;
