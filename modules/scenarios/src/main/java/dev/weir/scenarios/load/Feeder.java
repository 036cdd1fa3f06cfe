package dev.weir.scenarios.load;

import dev.weir.scenarios.process.ScenarioException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.IntFunction;

/** Makes many requests to a node's API, a bounded number of them at once. */
final class Feeder {

  private static final int AT_ONCE = 64;
  private static final int MAX_TRIES = 20;

  private final HttpClient client =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
  private final String base;

  Feeder(String base) {
    this.base = base;
  }

  /** One request. */
  record Call(String method, String path, String body) {}

  /** All of them; fails when one is refused for good. */
  void each(int count, IntFunction<Call> calls) {
    Semaphore room = new Semaphore(AT_ONCE);
    AtomicReference<String> wrong = new AtomicReference<>();
    for (int i = 0; i < count && wrong.get() == null; i++) {
      room.acquireUninterruptibly();
      send(calls.apply(i), 1, room, wrong);
    }
    room.acquireUninterruptibly(AT_ONCE);
    if (wrong.get() != null) {
      throw new ScenarioException(wrong.get());
    }
  }

  private void send(Call call, int attempt, Semaphore room, AtomicReference<String> wrong) {
    HttpRequest request =
        HttpRequest.newBuilder(URI.create(base + call.path))
            .timeout(Duration.ofSeconds(30))
            .header("Content-Type", "application/json")
            .method(call.method, HttpRequest.BodyPublishers.ofString(call.body))
            .build();
    var unused =
        client
            .sendAsync(request, HttpResponse.BodyHandlers.ofString())
            .whenComplete(
                (response, failure) -> {
                  boolean done = failure == null && response.statusCode() < 300;
                  boolean again = failure != null || response.statusCode() == 503;
                  if (!done && again && attempt < MAX_TRIES) {
                    send(call, attempt + 1, room, wrong);
                    return;
                  }
                  if (!done) {
                    wrong.set(
                        call.method
                            + " "
                            + call.path
                            + ": "
                            + (failure == null ? response.body() : failure.toString()));
                  }
                  room.release();
                });
  }
}
