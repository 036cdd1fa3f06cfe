package dev.weir.cli.api;

import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * A path below the node's URL, built from literal words and escaped ids.
 *
 * @param text begins with a slash, fit for a request line
 */
public record ApiPath(String text) {

  /** The first word is taken literally and may hold slashes; the ids are escaped. */
  public static ApiPath of(String literal, String... ids) {
    StringBuilder path = new StringBuilder(literal);
    for (String id : ids) {
      path.append('/').append(escape(id));
    }
    return new ApiPath(path.toString());
  }

  public ApiPath then(String literal) {
    return new ApiPath(text + literal);
  }

  /** Adds a query parameter, unless its value is null. */
  public ApiPath with(String name, @Nullable Object value) {
    if (value == null) {
      return this;
    }
    String separator = text.indexOf('?') < 0 ? "?" : "&";
    return new ApiPath(text + separator + name + "=" + escape(value.toString()));
  }

  /** {@link URLEncoder} writes a space as a plus, which only form bodies read back as one. */
  private static String escape(String value) {
    return URLEncoder.encode(value, StandardCharsets.UTF_8).replace("+", "%20");
  }
}
