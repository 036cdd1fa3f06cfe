package dev.weir.node;

import dev.weir.domain.quota.Quota;
import dev.weir.domain.quota.QuotaDivision;
import dev.weir.domain.quota.QuotaDivision.Renewal;
import dev.weir.domain.quota.QuotaDivision.State;
import dev.weir.domain.quota.QuotaDivision.Step;
import dev.weir.domain.quota.QuotaDivision.Terms;
import dev.weir.domain.quota.TokenBucket;
import dev.weir.protocol.bus.Addresses;
import dev.weir.protocol.bus.QuotaProtocol;
import dev.weir.protocol.bus.QuotaProtocol.Granted;
import dev.weir.protocol.bus.QuotaProtocol.Release;
import dev.weir.protocol.bus.QuotaProtocol.Released;
import dev.weir.protocol.bus.QuotaProtocol.Renew;
import dev.weir.protocol.store.ConfigStore;
import dev.weir.protocol.store.ConfigStore.QuotaView;
import io.vertx.core.Future;
import io.vertx.core.VerticleBase;
import io.vertx.core.eventbus.Message;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Divides the quotas that several subscribers share, on a node that works alone. The arithmetic is
 * {@link QuotaDivision}; a quota's state begins with what the store has seen spent, and goes once
 * nobody holds a share and the pool is full, which is when beginning anew changes nothing.
 *
 * <p>Holders name the quota as they know it. When that differs from what is divided here, the store
 * is read and decides: versions of subscribers can't be compared with each other.
 */
final class QuotaVerticle extends VerticleBase {

  private static final Logger LOG = LoggerFactory.getLogger(QuotaVerticle.class);

  /** The reply code of a renewal that could not be answered; the holder asks again. */
  private static final int LATER = 1;

  private static final long TIDY_MS = 30_000;

  private final ConfigStore config;
  private final Map<String, Divided> quotas = new HashMap<>();

  QuotaVerticle(ConfigStore config) {
    this.config = config;
  }

  /** One quota: its state once it is known, and who waits until then. */
  private static final class Divided {
    private final List<Message<QuotaProtocol>> waiting = new ArrayList<>();
    private boolean reading;
    private State state;

    Divided(State state) {
      this.state = state;
    }
  }

  @Override
  public Future<?> start() {
    vertx.setPeriodic(TIDY_MS, tick -> tidy());
    return vertx.eventBus().<QuotaProtocol>localConsumer(Addresses.QUOTA, this::on).completion();
  }

  private void on(Message<QuotaProtocol> message) {
    QuotaProtocol told = message.body();
    if (told instanceof Renew renew) {
      onRenew(renew.request(), message);
    } else if (told instanceof Release release) {
      onRelease(release);
      message.reply(new Released(), Addresses.LOCAL);
    }
  }

  private void onRenew(Renewal request, Message<QuotaProtocol> message) {
    Divided divided = quotas.get(request.quota().id());
    if (divided == null) {
      divided = new Divided(State.begin(request.quota(), 0, 0, System.nanoTime()));
      quotas.put(request.quota().id(), divided);
      await(divided, message);
      begin(request.quota().id(), divided);
    } else if (divided.reading) {
      await(divided, message);
    } else if (!divided.state.quota().equals(request.quota())) {
      await(divided, message);
      reread(request.quota().id(), divided);
    } else {
      answer(divided, message);
    }
  }

  private static void await(Divided divided, Message<QuotaProtocol> message) {
    divided.reading = true;
    divided.waiting.add(message);
  }

  private void begin(String quotaId, Divided divided) {
    config
        .level(quotaId, SubscriberVerticle.SEND_WINDOW_MS)
        .compose(level -> config.quota(quotaId).map(view -> begun(divided, level, view)))
        .onSuccess(known -> answerWaiting(divided))
        .onFailure(
            failure -> {
              quotas.remove(quotaId);
              putOff(quotaId, divided, failure);
            });
  }

  private static Divided begun(Divided divided, long level, Optional<QuotaView> view) {
    Quota quota = view.map(QuotaView::quota).orElse(divided.state.quota());
    divided.state = State.begin(quota, 1, level, System.nanoTime());
    return divided;
  }

  private void reread(String quotaId, Divided divided) {
    config
        .quota(quotaId)
        .onSuccess(
            view -> {
              view.map(QuotaView::quota).ifPresent(quota -> reconfigure(divided, quota));
              answerWaiting(divided);
            })
        .onFailure(failure -> putOff(quotaId, divided, failure));
  }

  private static void reconfigure(Divided divided, Quota quota) {
    if (!quota.equals(divided.state.quota())) {
      State now = QuotaDivision.advanced(divided.state, System.nanoTime());
      divided.state = QuotaDivision.reconfigured(now, quota, now.version() + 1);
    }
  }

  private void answerWaiting(Divided divided) {
    divided.reading = false;
    List<Message<QuotaProtocol>> waiting = List.copyOf(divided.waiting);
    divided.waiting.clear();
    waiting.forEach(message -> answer(divided, message));
  }

  private void putOff(String quotaId, Divided divided, Throwable failure) {
    LOG.warn("level of quota {} not read, its holders wait: {}", quotaId, failure.toString());
    divided.reading = false;
    divided.waiting.forEach(message -> message.fail(LATER, failure.toString()));
    divided.waiting.clear();
  }

  private void answer(Divided divided, Message<QuotaProtocol> message) {
    if (message.body() instanceof Renew renew) {
      Step step =
          QuotaDivision.renew(
              divided.state,
              asDivided(renew.request(), divided.state),
              Terms.LOCAL,
              System.nanoTime());
      divided.state = step.state();
      message.reply(new Granted(step.grant()), Addresses.LOCAL);
    }
  }

  private static Renewal asDivided(Renewal request, State state) {
    return new Renewal(
        request.holder(),
        request.sequence(),
        request.accrues(),
        request.tokensLeftMicros(),
        request.demand(),
        state.quota(),
        state.version());
  }

  private void onRelease(Release release) {
    Divided divided = quotas.get(release.quotaId());
    if (divided != null && !divided.reading) {
      divided.state =
          QuotaDivision.release(
              divided.state,
              release.holder(),
              release.sequence(),
              release.tokensLeftMicros(),
              System.nanoTime());
    }
  }

  private void tidy() {
    long now = System.nanoTime();
    quotas
        .values()
        .removeIf(
            divided -> {
              if (divided.reading) {
                return false;
              }
              divided.state = QuotaDivision.advanced(divided.state, now);
              long full = divided.state.quota().burst() * TokenBucket.TOKEN_MICROS;
              return divided.state.holders().isEmpty() && divided.state.poolMicros() >= full;
            });
  }
}
