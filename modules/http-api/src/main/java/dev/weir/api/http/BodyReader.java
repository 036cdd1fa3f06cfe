package dev.weir.api.http;

import dev.weir.api.http.Problem.Kind;
import dev.weir.domain.time.Durations;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerRequest;
import java.time.Duration;

/**
 * Reads the body of one request, at most {@code maxBytes} and not longer than {@code deadline}. An
 * announced length is judged before a byte is read; otherwise reading stops at the first byte too
 * many. Must be made in the turn in which the request arrives.
 */
final class BodyReader {

  private final Vertx vertx;
  private final HttpServerRequest request;
  private final int maxBytes;
  private final Duration deadline;
  private final Promise<Buffer> whole = Promise.promise();
  private final Buffer read = Buffer.buffer();
  private boolean done;

  BodyReader(Vertx vertx, HttpServerRequest request, int maxBytes, Duration deadline) {
    this.vertx = vertx;
    this.request = request;
    this.maxBytes = maxBytes;
    this.deadline = deadline;
  }

  /** Whether a request announces a body, be it empty. */
  static boolean hasBody(HttpServerRequest request) {
    return request.headers().contains(HttpHeaders.TRANSFER_ENCODING) || announced(request) > 0;
  }

  private static long announced(HttpServerRequest request) {
    String length = request.getHeader(HttpHeaders.CONTENT_LENGTH);
    try {
      return length == null ? 0 : Long.parseLong(length);
    } catch (NumberFormatException longerThanAnyLimit) {
      return Long.MAX_VALUE;
    }
  }

  /** Fails with {@link Refused} on too much, too late or a client that went away. */
  Future<Buffer> read() {
    long announced = announced(request);
    if (announced > maxBytes) {
      return Future.failedFuture(tooLarge("is " + announced + " bytes"));
    }
    if ("100-continue".equalsIgnoreCase(request.getHeader(HttpHeaders.EXPECT))) {
      request.response().writeContinue();
    }
    long timer = vertx.setTimer(deadline.toMillis(), late -> end(tooLate()));
    request.handler(this::take);
    request.endHandler(ended -> whole.tryComplete(read));
    request.exceptionHandler(gone -> end(new ClientGone()));
    return whole
        .future()
        .onComplete(
            ended -> {
              done = true;
              vertx.cancelTimer(timer);
            });
  }

  private void take(Buffer chunk) {
    if (done) {
      return;
    }
    if (read.length() + chunk.length() > maxBytes) {
      end(tooLarge("is longer"));
      return;
    }
    read.appendBuffer(chunk);
  }

  private void end(RuntimeException why) {
    whole.tryFail(why);
  }

  private Refused tooLarge(String what) {
    return Problem.of(
            Kind.TOO_LARGE, "the request's body " + what + "; the limit here is " + maxBytes)
        .about("body")
        .limitedTo(maxBytes + " bytes")
        .refused();
  }

  private Refused tooLate() {
    String limit = Durations.format(deadline);
    return Problem.of(Kind.TIMEOUT, "the body was not complete after " + limit)
        .limitedTo(limit)
        .refused();
  }

  /** Nobody is left to answer. */
  static final class ClientGone extends RuntimeException {
    ClientGone() {
      super("the client went away", null, false, false);
    }
  }
}
