package dev.weir.api.http;

import io.vertx.core.Future;

/** What answers one {@code operationId} of the OpenAPI file. */
public interface Operation {

  /** May throw or fail with {@link Refused} or a failure of the store. */
  Future<Reply> answer(Call call);
}
