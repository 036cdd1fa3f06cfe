/**
 * How subscribers get their share of a quota. Owns the port; what is asked and granted, and all
 * arithmetic, is {@code domain}'s {@link dev.weir.domain.quota.QuotaDivision}.
 */
@NullMarked
package dev.weir.protocol.quota;

import org.jspecify.annotations.NullMarked;
