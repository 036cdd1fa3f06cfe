/**
 * The commands of {@code weir}. Each one is a client of the HTTP API and nothing more: it knows no
 * store, and whatever it can do, anyone can do with curl. Exit codes are a contract ({@link
 * dev.weir.cli.ExitCodes}); with {@code --json} stdout carries the API's JSON and nothing else.
 */
@NullMarked
package dev.weir.cli;

import org.jspecify.annotations.NullMarked;
