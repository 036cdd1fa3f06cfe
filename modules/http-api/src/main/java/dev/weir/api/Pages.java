package dev.weir.api;

import dev.weir.api.http.Call;
import dev.weir.api.http.JsonWriter;
import dev.weir.api.http.Problem;
import dev.weir.api.http.Reply;
import dev.weir.protocol.store.ConfigStore.Page;
import java.util.Optional;
import java.util.function.BiConsumer;
import java.util.regex.Pattern;

/** Lists: {@code limit} and {@code after} in, {@code items} and {@code next} out. */
final class Pages {

  static final int MAX = 100;
  private static final int DEFAULT = 50;
  private static final int MAX_CURSOR_CHARS = 4_096;
  private static final Pattern LIMIT = Pattern.compile("[1-9]\\d?|100");

  private Pages() {}

  static int limit(Call call) {
    String text = call.query("limit").orElse(Integer.toString(DEFAULT));
    if (!LIMIT.matcher(text).matches()) {
      throw Problem.invalid("limit", "1 to " + MAX, "limit must be 1 to " + MAX).refused();
    }
    return Integer.parseInt(text);
  }

  static Optional<String> after(Call call) {
    Optional<String> after = call.query("after");
    if (after.isPresent() && (after.get().isEmpty() || after.get().length() > MAX_CURSOR_CHARS)) {
      throw Problem.invalid(
              "after",
              "1 to " + MAX_CURSOR_CHARS + " characters",
              "after must be 'next' of an earlier page")
          .refused();
    }
    return after;
  }

  static <T> Reply reply(Page<T> page, BiConsumer<JsonWriter, T> item) {
    return Reply.json(
        200, json -> json.objects("items", page.items(), item).text("next", page.next()));
  }
}
