package dev.weir.scenarios.demo;

import dev.weir.scenarios.DemoOptions;
import dev.weir.scenarios.client.ReceiverClient;
import dev.weir.scenarios.client.WeirClient;
import io.vertx.core.json.JsonObject;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Looks at a demo under way, as an operator would. */
public final class Watch {

  private static final long RATE_OVER_MS = 1_000;

  private final WeirClient node;
  private final ReceiverClient receiver;
  private final Publisher publisher;
  private final DemoOptions options;
  private final long startNs;
  private final ArrayDeque<Sample> samples = new ArrayDeque<>();

  public Watch(
      WeirClient node,
      ReceiverClient receiver,
      Publisher publisher,
      DemoOptions options,
      long startNs) {
    this.node = node;
    this.receiver = receiver;
    this.publisher = publisher;
    this.options = options;
    this.startNs = startNs;
  }

  private record Sample(long atMs, long settled) {}

  public DemoView look() {
    // Published is read first: the view's accepted is then at least what those came to.
    int published = publisher.published();
    Map<String, JsonObject> views = new HashMap<>();
    node.list("/v1/subscribers").forEach(view -> views.put(view.getString("id"), view));
    long elapsedMs = (System.nanoTime() - startNs) / 1_000_000;
    List<DemoView.Line> lines = new ArrayList<>();
    long accepted = 0;
    for (Cast.Member member : Cast.MEMBERS) {
      JsonObject view = views.getOrDefault(member.id(), new JsonObject());
      JsonObject counts = view.getJsonObject("counts", new JsonObject());
      accepted += counts.getLong("accepted", 0L);
      lines.add(
          new DemoView.Line(
              member.id(),
              counts.getLong("delivered", 0L),
              counts.getLong("dead", 0L),
              Reasons.waiting(counts),
              Reasons.why(view, Cast.SHARED_RATE, Instant.now())));
    }
    long settled = lines.stream().mapToLong(line -> line.delivered() + line.dead()).sum();
    return new DemoView(
        published,
        options.messages(),
        accepted,
        settled,
        perSecond(elapsedMs, settled),
        count429(),
        elapsedMs,
        lines);
  }

  private double perSecond(long nowMs, long settled) {
    samples.addLast(new Sample(nowMs, settled));
    while (samples.size() > 2 && samples.getFirst().atMs() < nowMs - RATE_OVER_MS) {
      samples.removeFirst();
    }
    Sample oldest = samples.getFirst();
    return nowMs == oldest.atMs()
        ? 0
        : (settled - oldest.settled()) * 1_000.0 / (nowMs - oldest.atMs());
  }

  private long count429() {
    JsonObject byPath = receiver.stats().getJsonObject("byPath");
    return byPath.fieldNames().stream()
        .mapToLong(path -> byPath.getJsonObject(path).getLong("429", 0L))
        .sum();
  }
}
