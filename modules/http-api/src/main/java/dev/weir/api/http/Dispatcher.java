package dev.weir.api.http;

import dev.weir.api.http.Problem.Kind;
import io.netty.handler.codec.http.TooLongHttpHeaderException;
import io.netty.handler.codec.http.TooLongHttpLineException;
import io.vertx.core.Future;
import io.vertx.core.Handler;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import java.time.Duration;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.ObjIntConsumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The router: from the OpenAPI file and one operation per {@code operationId}. Finds the endpoint,
 * checks what the file says of query and body, reads the body within its limit, and writes what
 * comes back.
 */
public final class Dispatcher implements Handler<HttpServerRequest> {

  private static final Logger log = LoggerFactory.getLogger(Dispatcher.class);

  /**
   * How long, and for how many bytes, a client that was refused may go on sending. Closing with
   * unread bytes makes TCP reset the connection, and the client loses the answer that tells it why.
   */
  private static final long LINGER_MS = 1_000;

  private static final long LINGER_BYTES = 1 << 20;

  private final Vertx vertx;
  private final Duration bodyDeadline;
  private final ObjIntConsumer<String> answered;
  private final Map<String, Operation> operations;
  private final RouteTree routes = new RouteTree();

  /**
   * @param answered told the operation and status of each answer
   * @throws IllegalStateException naming operations of the file without handler, and handlers
   *     without operation
   */
  public Dispatcher(
      Vertx vertx,
      OpenApi description,
      Map<String, Operation> operations,
      Duration bodyDeadline,
      ObjIntConsumer<String> answered) {
    this.vertx = vertx;
    this.operations = Map.copyOf(operations);
    this.bodyDeadline = bodyDeadline;
    this.answered = answered;
    description.endpoints().forEach(routes::add);
    requireSame(description);
  }

  private void requireSame(OpenApi description) {
    Set<String> missing = new TreeSet<>();
    description.endpoints().forEach(endpoint -> missing.add(endpoint.operationId()));
    Set<String> superfluous = new TreeSet<>(operations.keySet());
    superfluous.removeAll(missing);
    missing.removeAll(operations.keySet());
    if (!missing.isEmpty() || !superfluous.isEmpty()) {
      throw new IllegalStateException(
          "the OpenAPI file and the handlers differ: without handler "
              + missing
              + ", without description "
              + superfluous);
    }
  }

  @Override
  public void handle(HttpServerRequest request) {
    Exchange exchange = new Exchange(request);
    Future<Reply> reply;
    try {
      reply = exchange.answer();
    } catch (RuntimeException e) {
      reply = Future.failedFuture(e);
    }
    reply
        .recover(failure -> Future.succeededFuture(exchange.failed(failure)))
        .onSuccess(exchange::write);
  }

  /** For requests that Netty could not read. */
  public static void invalid(HttpServerRequest request) {
    Throwable cause = request.decoderResult().cause();
    Problem problem;
    if (cause instanceof TooLongHttpHeaderException) {
      problem =
          Problem.of(
                  Kind.HEADERS_TOO_LARGE, "all headers of a request together may have 65536 bytes")
              .limitedTo("65536 bytes");
    } else if (cause instanceof TooLongHttpLineException) {
      problem =
          Problem.of(Kind.URI_TOO_LONG, "the request line may have 16384 bytes")
              .limitedTo("16384 bytes");
    } else {
      problem =
          Problem.of(
              Kind.INVALID,
              "this is no HTTP/1.1 request: " + (cause == null ? "" : cause.getMessage()));
    }
    HttpServerResponse response = request.response();
    fill(response, problem.reply()).putHeader(HttpHeaders.CONNECTION, HttpHeaders.CLOSE);
    response.end(problem.reply().body()).onComplete(ended -> request.connection().close());
  }

  private static HttpServerResponse fill(HttpServerResponse response, Reply reply) {
    response.setStatusCode(reply.status());
    reply.headers().forEach(response::putHeader);
    if (reply.contentType() != null) {
      response.putHeader(HttpHeaders.CONTENT_TYPE, reply.contentType());
      response.putHeader(HttpHeaders.CONTENT_LENGTH, Integer.toString(reply.body().length()));
    }
    return response;
  }

  /** One request and its answer. */
  private final class Exchange {

    private final HttpServerRequest request;
    private boolean unread;
    private @Nullable Endpoint endpoint;

    private Exchange(HttpServerRequest request) {
      this.request = request;
      this.unread = BodyReader.hasBody(request);
    }

    private Future<Reply> answer() {
      String path = Objects.requireNonNullElse(request.path(), "");
      RouteTree.Match match = routes.match(path).orElseThrow(() -> noSuchPath(path));
      Endpoint found = match.endpoint(request.method());
      if (found == null) {
        return Future.succeededFuture(methodNotAllowed(match));
      }
      endpoint = found;
      Map<String, String> query = query(found);
      return body(found)
          .compose(
              body ->
                  operation(found)
                      .answer(new Call(match.parameters(found), query, request.headers(), body)));
    }

    private Operation operation(Endpoint found) {
      Operation operation = operations.get(found.operationId());
      if (operation == null) {
        throw new IllegalStateException(found.operationId());
      }
      return operation;
    }

    private Refused noSuchPath(String path) {
      return Problem.of(Kind.NOT_FOUND, "there is no " + path + " here; see /openapi.yaml")
          .refused();
    }

    private Reply methodNotAllowed(RouteTree.Match match) {
      return Problem.of(
              Kind.METHOD_NOT_ALLOWED,
              request.method() + " is not possible here; allowed are " + match.allow())
          .limitedTo(match.allow())
          .reply()
          .with("Allow", match.allow());
    }

    private Map<String, String> query(Endpoint found) {
      Map<String, String> values = new HashMap<>();
      String text = request.query();
      if (text == null || text.isEmpty()) {
        return values;
      }
      for (String pair : text.split("&", -1)) {
        int equals = pair.indexOf('=');
        String name =
            PercentText.decodeQuery("query", equals < 0 ? pair : pair.substring(0, equals));
        if (!found.query().contains(name)) {
          String allowed = found.query().isEmpty() ? "none" : String.join(", ", found.query());
          throw Problem.invalid(
                  name, allowed, "unknown query parameter '" + name + "'; allowed here: " + allowed)
              .refused();
        }
        String value = PercentText.decodeQuery(name, equals < 0 ? "" : pair.substring(equals + 1));
        if (values.put(name, value) != null) {
          throw Problem.invalid(name, "once", "query parameter '" + name + "' is given twice")
              .refused();
        }
      }
      return values;
    }

    private Future<Buffer> body(Endpoint found) {
      Endpoint.Body json = found.json();
      if (json == null) {
        return Future.succeededFuture(Buffer.buffer());
      }
      Endpoint.RawBody raw = found.raw();
      boolean isRaw = raw != null && request.headers().contains(raw.whenHeader());
      if (unread && !isRaw) {
        requireJson();
      }
      int maxBytes = isRaw && raw != null ? raw.maxBytes() : json.maxBytes();
      return new BodyReader(vertx, request, maxBytes, bodyDeadline)
          .read()
          .onSuccess(read -> unread = false);
    }

    private void requireJson() {
      String encoding = request.getHeader(HttpHeaders.CONTENT_ENCODING);
      if (encoding != null && !encoding.equalsIgnoreCase("identity")) {
        throw unsupported(
            HttpHeaders.CONTENT_ENCODING, "identity", "send the JSON as it is, not as " + encoding);
      }
      String type = request.getHeader(HttpHeaders.CONTENT_TYPE);
      if (type != null && !isJson(type)) {
        throw unsupported(
            HttpHeaders.CONTENT_TYPE,
            "application/json",
            "send Content-Type: application/json, not '" + type + "'");
      }
    }

    private boolean isJson(String type) {
      int end = type.indexOf(';');
      String bare = (end < 0 ? type : type.substring(0, end)).trim().toLowerCase(Locale.ROOT);
      return bare.equals("application/json")
          || (bare.startsWith("application/") && bare.endsWith("+json"));
    }

    private Refused unsupported(CharSequence header, String limit, String detail) {
      return Problem.of(Kind.UNSUPPORTED_MEDIA_TYPE, detail)
          .about(header.toString())
          .limitedTo(limit)
          .refused();
    }

    private Reply failed(Throwable failure) {
      Problem problem = Problem.of(failure);
      if (problem.kind() == Kind.BROKEN && !(failure instanceof BodyReader.ClientGone)) {
        log.error("{} {} failed", request.method(), request.path(), failure);
      } else {
        log.debug("{} {}: {}", request.method(), request.path(), failure.getMessage());
      }
      return problem.reply();
    }

    private void write(Reply reply) {
      HttpServerResponse response = request.response();
      if (response.closed() || response.ended()) {
        return;
      }
      if (endpoint != null) {
        answered.accept(endpoint.operationId(), reply.status());
      }
      fill(response, reply);
      if (unread) {
        response.putHeader(HttpHeaders.CONNECTION, HttpHeaders.CLOSE);
      }
      boolean bodyless = reply.contentType() == null || "HEAD".equals(request.method().name());
      (bodyless ? response.end() : response.end(reply.body()))
          .onComplete(
              ended -> {
                if (unread) {
                  closeSoon();
                }
              });
    }

    /** Drops what still comes, for a while, then closes. */
    private void closeSoon() {
      long[] dropped = {0};
      vertx.setTimer(LINGER_MS, over -> request.connection().close());
      if (request.isEnded()) {
        request.connection().close();
        return;
      }
      request.endHandler(ended -> request.connection().close());
      request.handler(
          chunk -> {
            dropped[0] += chunk.length();
            if (dropped[0] > LINGER_BYTES) {
              request.connection().close();
            }
          });
    }
  }
}
