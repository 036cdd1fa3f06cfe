package dev.weir.api.http;

import io.vertx.core.http.HttpMethod;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * One operation as the OpenAPI file describes it.
 *
 * @param segments of its path; parameters in braces
 * @param query names of its query parameters
 * @param json how much JSON it takes; null for no body
 * @param raw its other form of body; null for none
 */
record Endpoint(
    String operationId,
    HttpMethod method,
    List<String> segments,
    Set<String> query,
    @Nullable Body json,
    @Nullable RawBody raw) {

  record Body(int maxBytes, boolean required) {}

  /**
   * @param whenHeader the header whose presence chooses this form
   */
  record RawBody(String whenHeader, int maxBytes) {}
}
