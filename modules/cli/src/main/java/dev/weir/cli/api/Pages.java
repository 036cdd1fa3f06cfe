package dev.weir.cli.api;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A list, gathered over as many pages as it takes.
 *
 * @param next cursor of what was left out by the limit; null when the list is whole
 */
public record Pages(List<JsonObject> items, @Nullable String next) {

  private static final int LARGEST_PAGE = 100;

  /** Follows the cursors of {@code path} until there are {@code limit} items or no more. */
  public static Pages gather(ApiClient node, ApiPath path, int limit) {
    List<JsonObject> items = new ArrayList<>();
    String next = null;
    do {
      int page = Math.min(LARGEST_PAGE, limit - items.size());
      JsonObject answer = node.get(path.with("limit", page).with("after", next)).json();
      for (Object item : answer.getJsonArray("items", new JsonArray())) {
        items.add((JsonObject) item);
      }
      next = answer.getString("next");
    } while (next != null && items.size() < limit);
    return new Pages(List.copyOf(items), next);
  }

  /** The same shape as one page of the API. */
  public String encode() {
    JsonObject page = new JsonObject().put("items", new JsonArray(new ArrayList<>(items)));
    return (next == null ? page.putNull("next") : page.put("next", next)).encode();
  }
}
