package dev.weir.scenarios.eval;

import dev.weir.domain.message.DeliveryId;
import dev.weir.domain.message.Escaping;
import dev.weir.domain.message.MessageId;
import dev.weir.receiver.Arrival;
import dev.weir.receiver.Arrivals;
import dev.weir.scenarios.SettleOrder;
import dev.weir.scenarios.client.Answer;
import dev.weir.scenarios.client.WeirClient;
import dev.weir.scenarios.process.ReceiverProcess;
import dev.weir.scenarios.process.ScenarioException;
import dev.weir.scenarios.process.WeirProcess;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/** What a case acts on, and the checks that cases share. */
public final class Stage {

  static final Duration SOON = Duration.ofSeconds(20);

  private static final Duration POLL = Duration.ofMillis(50);

  private final EvalCase evalCase;
  private final WeirProcess node;
  private final ReceiverProcess receiver;
  private final Map<String, DeliveryId> watched = new LinkedHashMap<>();

  public Stage(EvalCase evalCase, WeirProcess node, ReceiverProcess receiver) {
    this.evalCase = evalCase;
    this.node = node;
    this.receiver = receiver;
  }

  WeirProcess node() {
    return node;
  }

  WeirClient client() {
    return node.client();
  }

  /** The case's own subscriber, with more configuration. */
  String subscribe(JsonObject more) {
    return subscribe("", more);
  }

  /**
   * @param suffix tells several of one case apart
   */
  String subscribe(String suffix, JsonObject more) {
    String id = "eval_" + evalCase.name() + suffix;
    client()
        .put(
            "/v1/subscribers/" + Escaping.escape(id),
            new JsonObject()
                .put("endpoint", receiver.url(evalCase.path() + suffix))
                .put("stampAttempts", true)
                .mergeIn(more));
    return id;
  }

  /** A message id that no other case uses. */
  MessageId message(long version) {
    return MessageId.of("eval_" + evalCase.name(), version);
  }

  JsonObject publication(MessageId message, String... to) {
    return new JsonObject()
        .put("to", new JsonArray(List.of((Object[]) to)))
        .put("id", message.id())
        .put("version", message.version())
        .put("type", "shipment.updated")
        .put("body", new JsonObject().put("shipment", message.id()).put("v", message.version()));
  }

  /** Publishes and requires a 202; the deliveries' traces go into the report. */
  Answer publish(JsonObject publication) {
    Answer answer = client().publish(publication.encode());
    require(answer.status() == 202, "publish was answered %d: %s", answer.status(), answer.body());
    JsonArray to = publication.getJsonArray("to");
    for (int i = 0; i < to.size(); i++) {
      watch(
          new DeliveryId(
              MessageId.of(publication.getString("id"), publication.getLong("version")),
              to.getString(i)));
    }
    return answer;
  }

  void watch(DeliveryId id) {
    watched.put(id.key(), id);
  }

  JsonObject delivery(DeliveryId id) {
    return client().delivery(id).json();
  }

  /** Waits for a state; fails, naming the one it is in, when that takes too long. */
  JsonObject await(DeliveryId id, String state, Duration limit) {
    JsonObject[] last = {new JsonObject()};
    awaitThat(
        () -> {
          Answer answer = client().delivery(id);
          if (answer.ok()) {
            last[0] = answer.json();
          }
          return state.equals(last[0].getString("state"));
        },
        limit,
        () -> id.key() + " is " + last[0].getString("state", "unknown") + ", not " + state);
    return last[0];
  }

  void awaitThat(BooleanSupplier holds, Duration limit, Supplier<String> otherwise) {
    long deadlineNs = System.nanoTime() + limit.toNanos();
    while (!holds.getAsBoolean()) {
      if (System.nanoTime() > deadlineNs) {
        throw new CaseFailed(otherwise.get() + " after " + limit.toSeconds() + " s");
      }
      try {
        Thread.sleep(POLL.toMillis());
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new ScenarioException("interrupted", e);
      }
    }
  }

  Arrivals arrivals(DeliveryId id) {
    return receiver.client().arrivals().withKey(id.key());
  }

  /**
   * One business operation, one durable outcome: the delivery is in {@code state}, {@code attempts}
   * requests arrived, {@code accepted} of them were accepted, and nothing was settled early.
   */
  Arrivals requireOutcome(JsonObject delivery, DeliveryId id, int attempts, int accepted) {
    Arrivals arrived = arrivals(id);
    require(
        arrived.count() == attempts,
        "%d requests arrived for %s, expected %d",
        arrived.count(),
        id.key(),
        attempts);
    long taken = arrived.where(Arrival::accepted).count();
    require(taken == accepted, "%d were accepted for %s, expected %d", taken, id.key(), accepted);
    List<String> early = SettleOrder.violations(delivery, arrived.all());
    require(early.isEmpty(), "%s", early);
    return arrived;
  }

  JsonObject attempt(JsonObject delivery, int number) {
    JsonArray attempts = delivery.getJsonArray("attempts");
    for (int i = 0; i < attempts.size(); i++) {
      if (attempts.getJsonObject(i).getInteger("attempt") == number) {
        return attempts.getJsonObject(i);
      }
    }
    throw new CaseFailed("the trace of " + delivery.getString("key") + " lacks attempt " + number);
  }

  void requireBalance() {
    JsonObject balance = client().get("/v1/balance");
    require(balance.getBoolean("holds"), "the balance does not hold: %s", balance);
  }

  void require(boolean holds, String problem, Object... values) {
    if (!holds) {
      throw new CaseFailed(String.format(Locale.ROOT, problem, values));
    }
  }

  /** The traces of everything that was published here, as far as the node tells. */
  public List<JsonObject> traces() {
    List<JsonObject> traces = new ArrayList<>();
    for (DeliveryId id : watched.values()) {
      try {
        Answer answer = client().delivery(id);
        if (answer.ok()) {
          traces.add(answer.json());
        }
      } catch (ScenarioException nodeIsDown) {
        // The verdict says so already; a trace is an extra.
      }
    }
    return traces;
  }
}
