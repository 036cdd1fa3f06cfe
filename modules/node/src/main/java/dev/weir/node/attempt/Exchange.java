package dev.weir.node.attempt;

import dev.weir.domain.outcome.Answer;
import dev.weir.domain.outcome.Answer.ErrorClass;
import dev.weir.protocol.store.DeliveryStore.Claimed;
import io.vertx.core.AsyncResult;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClient;
import io.vertx.core.http.HttpClientRequest;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.RequestOptions;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * One HTTP request and its answer, under one total deadline that covers the wait for a connection,
 * the connect, the write, the head and the body. Connects first and waits for {@link #write}: so
 * that whoever holds the token writes in the same turn of the event loop.
 *
 * <p>A 2xx is told at its status line, whatever the body then does. Any other answer waits for its
 * body, for an excerpt, at most {@value #EXCERPT_GRACE_MS} ms. A body is then read on, so that the
 * connection can be used again, up to {@value #MAX_DRAIN_BYTES} bytes or the deadline; past either
 * the connection is closed.
 *
 * <p>Lives on one context. Tells each of {@link Listener}'s events at most once.
 */
public final class Exchange {

  static final int MAX_EXCERPT_BYTES = 4_096;
  static final int MAX_DRAIN_BYTES = 65_536;
  static final long EXCERPT_GRACE_MS = 100;

  private static final long NO_TIMER = -1;

  private final Vertx vertx;
  private final Claimed claimed;
  private final long askedNanos;
  private final Listener listener;
  private final long openedNanos;

  private Phase phase = Phase.CONNECTING;
  private @Nullable HttpClientRequest request;
  private Answer.@Nullable Status status;
  private boolean answered;
  private long writtenNanos;
  private long answeredNanos;
  private long deadlineTimer = NO_TIMER;
  private long graceTimer = NO_TIMER;
  private @Nullable Buffer excerpt;
  private int bodyBytes;

  /**
   * @param askedNanos when the claim was asked for
   */
  public Exchange(Vertx vertx, Claimed claimed, long askedNanos, Listener listener) {
    this.vertx = vertx;
    this.claimed = claimed;
    this.askedNanos = askedNanos;
    this.listener = listener;
    this.openedNanos = System.nanoTime();
  }

  /** Asks for a connection; the deadline runs from here. */
  public void open(HttpClient client, RequestPlan plan, long timeoutMs) {
    deadlineTimer = vertx.setTimer(timeoutMs, late -> expire());
    connect(client, plan.options(claimed.envelope(), timeoutMs)).onComplete(this::onConnection);
  }

  /** A closed client and options that can't be used are thrown; here they fail like the rest. */
  private static Future<HttpClientRequest> connect(HttpClient client, RequestOptions options) {
    try {
      return client.request(options);
    } catch (IllegalStateException | IllegalArgumentException refused) {
      return Future.failedFuture(refused);
    }
  }

  /**
   * Writes the request: now, on this thread.
   *
   * @param nowNanos the very instant at which the token was taken
   */
  public void write(RequestPlan plan, long nowNanos, long sentAtEpochNanos, String nodeName) {
    HttpClientRequest ready = request;
    if (phase != Phase.CONNECTED || ready == null) {
      throw new IllegalStateException("can't write an exchange that is " + phase);
    }
    try {
      plan.writeHeaders(ready.headers(), claimed, sentAtEpochNanos, nodeName);
    } catch (IllegalArgumentException unsendable) {
      answer(new Answer.NotSent(ErrorClass.UNKNOWN, Failures.detail(unsendable)));
      close();
      return;
    }
    phase = Phase.WRITTEN;
    writtenNanos = nowNanos;
    ready.send(claimed.body()).onComplete(this::onHead);
  }

  /** Gives up before the write; the connection goes back to the pool. Tells nothing. */
  public void abandon() {
    if (phase == Phase.WRITTEN) {
      throw new IllegalStateException("a written exchange can't be abandoned");
    }
    if (phase != Phase.OVER) {
      end();
      resetRequest();
    }
  }

  /** Ends a written exchange because this node stops. */
  public void drain() {
    if (phase != Phase.WRITTEN) {
      return;
    }
    if (!answered) {
      answer(
          status != null
              ? status
              : new Answer.NoAnswer(ErrorClass.DRAINED, "this node stopped before the answer"));
    }
    close();
  }

  public Claimed claimed() {
    return claimed;
  }

  public boolean isConnecting() {
    return phase == Phase.CONNECTING;
  }

  public boolean isWritten() {
    return phase == Phase.WRITTEN;
  }

  public boolean isOver() {
    return phase == Phase.OVER;
  }

  public long askedNanos() {
    return askedNanos;
  }

  public long openedNanos() {
    return openedNanos;
  }

  /** When the request was written; 0 when it never was. */
  public long writtenNanos() {
    return writtenNanos;
  }

  public long answeredNanos() {
    return answeredNanos;
  }

  /** The beginning of the answer's body, as far as it had come when the answer was told. */
  public String excerpt() {
    return excerpt == null ? "" : excerpt.toString(StandardCharsets.UTF_8);
  }

  private void onConnection(AsyncResult<HttpClientRequest> result) {
    HttpClientRequest ready = result.succeeded() ? result.result() : null;
    if (ready != null) {
      // Without a handler each reset would be logged as an error.
      ready.exceptionHandler(this::onRequestFailure);
    }
    if (phase != Phase.CONNECTING) {
      if (ready != null) {
        ready.reset();
      }
      return;
    }
    if (ready == null) {
      answer(notSent(result.cause()));
      finish();
      return;
    }
    request = ready;
    phase = Phase.CONNECTED;
    listener.connected(this);
  }

  /** Of a written request {@link #onHead} hears too. */
  private void onRequestFailure(Throwable failure) {
    if (phase == Phase.CONNECTED) {
      answer(notSent(failure));
      finish();
    }
  }

  private static Answer notSent(Throwable failure) {
    return new Answer.NotSent(Failures.classify(failure), Failures.detail(failure));
  }

  private void onHead(AsyncResult<HttpClientResponse> result) {
    if (phase != Phase.WRITTEN) {
      return;
    }
    if (result.failed()) {
      Throwable failure = result.cause();
      answer(new Answer.NoAnswer(Failures.classify(failure), Failures.detail(failure)));
      close();
      return;
    }
    HttpClientResponse response = result.result();
    if (response.statusCode() < 200) {
      onInterim(response);
      return;
    }
    Answer.Status head =
        new Answer.Status(
            response.statusCode(),
            response.getHeader("Retry-After"),
            response.getHeader("Date"),
            response.getHeader("Location"));
    status = head;
    listener.headArrived(this);
    response.exceptionHandler(broken -> onBodyEnd(true));
    response.handler(this::onChunk);
    response.endHandler(complete -> onBodyEnd(false));
    if (head.code() >= 200 && head.code() < 300) {
      answer(head);
    } else {
      graceTimer = vertx.setTimer(EXCERPT_GRACE_MS, late -> answerWithHead());
    }
  }

  /**
   * The client knows 100 and 103, and takes any other 1xx for the whole answer. The final one is
   * still to come: nobody will hear it, and on a connection used again it would be taken for the
   * answer to another request.
   */
  private void onInterim(HttpClientResponse response) {
    response.request().connection().close();
    answer(
        new Answer.NoAnswer(
            ErrorClass.PROTOCOL,
            "the interim answer " + response.statusCode() + " hides the final one"));
    finish();
  }

  private void onChunk(Buffer chunk) {
    if (phase != Phase.WRITTEN) {
      return;
    }
    if (!answered) {
      keep(chunk);
    }
    bodyBytes += chunk.length();
    if (bodyBytes >= MAX_EXCERPT_BYTES) {
      answerWithHead();
    }
    if (bodyBytes > MAX_DRAIN_BYTES) {
      close();
    }
  }

  private void keep(Buffer chunk) {
    Buffer kept = excerpt == null ? Buffer.buffer() : excerpt;
    kept.appendBuffer(chunk, 0, Math.min(chunk.length(), MAX_EXCERPT_BYTES - kept.length()));
    excerpt = kept;
  }

  private void onBodyEnd(boolean broken) {
    if (phase != Phase.WRITTEN) {
      return;
    }
    answerWithHead();
    if (broken) {
      close();
    } else {
      finish();
    }
  }

  private void answerWithHead() {
    if (status != null) {
      answer(status);
    }
  }

  private void expire() {
    deadlineTimer = NO_TIMER;
    if (phase == Phase.OVER) {
      return;
    }
    if (!answered) {
      answer(atDeadline());
    }
    close();
  }

  private Answer atDeadline() {
    if (status != null) {
      return status;
    }
    return switch (phase) {
      case CONNECTING -> new Answer.NotSent(ErrorClass.TIMEOUT, "no connection in time");
      case CONNECTED -> new Answer.NotSent(ErrorClass.LOCAL, "no token in time");
      default -> new Answer.NoAnswer(ErrorClass.TIMEOUT, "no answer in time");
    };
  }

  private void answer(Answer answer) {
    if (answered) {
      return;
    }
    answered = true;
    answeredNanos = System.nanoTime();
    listener.answered(this, answer);
  }

  /** Ends it with the connection closed, or, when nothing was written on it, given back. */
  private void close() {
    if (phase != Phase.OVER) {
      resetRequest();
      finish();
    }
  }

  private void resetRequest() {
    if (request != null) {
      request.reset();
    }
  }

  private void finish() {
    if (phase != Phase.OVER) {
      end();
      listener.over(this);
    }
  }

  private void end() {
    phase = Phase.OVER;
    cancel(deadlineTimer);
    cancel(graceTimer);
  }

  private void cancel(long timer) {
    if (timer != NO_TIMER) {
      vertx.cancelTimer(timer);
    }
  }

  /** What the owner of an exchange hears, on its own context. */
  public interface Listener {

    /** A connection is held: write, or abandon. */
    void connected(Exchange exchange);

    /** The status line is here; {@link #answered} follows at once or a little later. */
    void headArrived(Exchange exchange);

    /** What the attempt came to is known. */
    void answered(Exchange exchange, Answer answer);

    /** The connection is given back or closed: nothing more will happen. After answered. */
    void over(Exchange exchange);
  }

  private enum Phase {
    CONNECTING,
    CONNECTED,
    WRITTEN,
    OVER
  }
}
