/**
 * Load runs: what the scale of a node is judged by. Each sets up real processes, measures, and
 * prints a table and one line of JSON. They assert no times: figures belong to the machine they
 * were measured on, and are never part of the test suite.
 */
@NullMarked
package dev.weir.scenarios.load;

import org.jspecify.annotations.NullMarked;
