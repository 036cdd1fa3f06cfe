/**
 * What an attempt came to and what follows: the answer table, Retry-After, backoff, budgets, the
 * seven-day boundary. Pure functions over records; the random numbers for jitter are handed in.
 */
@NullMarked
package dev.weir.domain.outcome;

import org.jspecify.annotations.NullMarked;
