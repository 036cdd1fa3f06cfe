/**
 * The configuration file: its keys, defaults and bounds, and reading it. Every problem is reported
 * at once, an unknown key is refused with the nearest known one, and {@code
 * cluster-config/weir.yaml} is kept equal to the code by a test. Secrets are in no {@code
 * toString}.
 */
@NullMarked
package dev.weir.app.config;

import org.jspecify.annotations.NullMarked;
