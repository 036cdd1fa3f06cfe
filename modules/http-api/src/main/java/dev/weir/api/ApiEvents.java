package dev.weir.api;

/** What the API tells whoever counts. Called on event loops: must not block. */
public interface ApiEvents {

  /** A publish was answered with an error ({@code weir_publish_rejected_total}). */
  void publishRejected(int status);

  /** A repeat got the first answer again ({@code weir_idempotency_hits_total}). */
  void idempotencyHit();
}
