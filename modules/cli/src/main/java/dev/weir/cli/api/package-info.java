/**
 * One node's HTTP API from a command's side: sending, following pages, and turning every refusal
 * into a {@link dev.weir.cli.api.NodeFailure} that says what failed, where and what to do.
 */
@NullMarked
package dev.weir.cli.api;

import org.jspecify.annotations.NullMarked;
