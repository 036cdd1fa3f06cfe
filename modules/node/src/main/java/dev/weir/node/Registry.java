package dev.weir.node;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Which subscribers of a lane have a verticle, and in which state it is. Decides what a hint, a
 * deployment or an idle subscriber leads to; performs nothing itself. Routing goes by this, never
 * by sending and seeing whether anybody listens.
 *
 * <pre>
 * (none) ──hint──► ACTIVATING ──deployed──► ACTIVE ──idle──► PASSIVATING ──undeployed──► (none)
 *                                                                 └── hinted meanwhile ──► ACTIVATING
 * </pre>
 */
final class Registry {

  private final Map<String, Slot> slots = new HashMap<>();

  /** What the dispatcher does next. */
  enum Action {
    NOTHING,
    DEPLOY,
    UNDEPLOY,
    SEND
  }

  /** Of one verticle. */
  enum State {
    ACTIVATING,
    ACTIVE,
    PASSIVATING
  }

  /** One subscriber's verticle. */
  static final class Slot {
    private State state = State.ACTIVATING;
    private String deploymentId = "";
    private long hintsSent;
    private boolean hintedMeanwhile;
    private boolean changedMeanwhile;
    private long bodyBytes = 1_024;

    State state() {
      return state;
    }

    String deploymentId() {
      return deploymentId;
    }

    /** What one of its bodies weighs, by experience. */
    long bodyBytes() {
      return bodyBytes;
    }

    /** Follows growth at once and shrinks slowly: guessing low overshoots the byte budget. */
    void weighed(long bytesPerBody) {
      bodyBytes = Math.max(1, Math.max(bytesPerBody, (7 * bodyBytes + bytesPerBody) / 8));
    }

    private void move(State from, State to) {
      if (state != from) {
        throw new IllegalStateException("a subscriber that is " + state + " can't become " + to);
      }
      state = to;
    }
  }

  /** Hints that came while it was not active, to send on. */
  record Missed(boolean wake, boolean changed) {}

  /** Something may be due ({@code changed}: or is configured otherwise). */
  Action hint(String subscriber, boolean changed) {
    Slot slot = slots.get(subscriber);
    if (slot == null) {
      slots.put(subscriber, new Slot());
      return Action.DEPLOY;
    }
    if (slot.state == State.ACTIVE) {
      slot.hintsSent++;
      return Action.SEND;
    }
    slot.hintedMeanwhile = true;
    slot.changedMeanwhile |= changed;
    return Action.NOTHING;
  }

  /** It runs, under this id. */
  Missed deployed(String subscriber, String deploymentId) {
    Slot slot = require(subscriber);
    slot.move(State.ACTIVATING, State.ACTIVE);
    slot.deploymentId = deploymentId;
    Missed missed = new Missed(slot.hintedMeanwhile, slot.changedMeanwhile);
    slot.hintsSent = (missed.wake ? 1L : 0L) + (missed.changed ? 1L : 0L);
    slot.hintedMeanwhile = false;
    slot.changedMeanwhile = false;
    return missed;
  }

  /** It says it is idle, having seen so many hints. */
  Action idle(String subscriber, long hintsSeen) {
    Slot slot = slots.get(subscriber);
    if (slot == null || slot.state != State.ACTIVE || slot.hintsSent != hintsSeen) {
      return Action.NOTHING;
    }
    slot.move(State.ACTIVE, State.PASSIVATING);
    return Action.UNDEPLOY;
  }

  /** It is gone, unless a hint came for it meanwhile. */
  Action undeployed(String subscriber) {
    Slot slot = require(subscriber);
    slot.move(State.PASSIVATING, State.ACTIVATING);
    if (slot.hintedMeanwhile) {
      slot.hintedMeanwhile = false;
      return Action.DEPLOY;
    }
    slots.remove(subscriber);
    return Action.NOTHING;
  }

  /** It could not be deployed, or is not wanted any more. */
  void forget(String subscriber) {
    slots.remove(subscriber);
  }

  @Nullable Slot get(String subscriber) {
    return slots.get(subscriber);
  }

  boolean isEmpty() {
    return slots.isEmpty();
  }

  List<String> active() {
    List<String> active = new ArrayList<>();
    slots.forEach(
        (subscriber, slot) -> {
          if (slot.state == State.ACTIVE) {
            active.add(subscriber);
          }
        });
    return active;
  }

  private Slot require(String subscriber) {
    Slot slot = slots.get(subscriber);
    if (slot == null) {
      throw new IllegalStateException("no slot for subscriber " + subscriber);
    }
    return slot;
  }
}
