package dev.weir.receiver;

import dev.weir.receiver.Script.Answer;
import dev.weir.receiver.Script.Drip;
import dev.weir.receiver.Script.Ending;
import io.netty.channel.ChannelOption;
import io.vertx.core.Future;
import io.vertx.core.VerticleBase;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.core.json.JsonObject;
import io.vertx.core.net.impl.VertxConnection;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Instant;
import java.util.HexFormat;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The scriptable endpoint. Everything but {@value #CONTROL} plays the subscriber; below it tests
 * drive it: {@code GET stats}, {@code GET log?after=&limit=}, {@code PUT script}, {@code POST
 * reset}.
 *
 * <p>One event loop serves everything, so counts and limits need no locks and arrivals have one
 * order. An arrival is logged once it was read whole, before it is answered: what the log says was
 * accepted may still die on its way back, which is the case that matters.
 */
public final class Receiver extends VerticleBase {

  public static final String HOST = "127.0.0.1";
  public static final String CONTROL = "/_receiver/";

  private static final int MAX_SCRIPT_BYTES = 1 << 20;
  private static final int LOG_PAGE = 10_000;

  private final ReceiverOptions options;
  private final Script firstScript;
  private final @Nullable ArrivalLog log;
  private ScriptRun run;
  private ArrivalMemory memory = new ArrivalMemory();
  private long lastSeq;
  private @Nullable HttpServer server;

  private Receiver(ReceiverOptions options) {
    this.options = options;
    this.firstScript = readScript(options.script());
    this.run = new ScriptRun(firstScript, System.nanoTime());
    this.log = options.log() == null ? null : new ArrivalLog(options.log());
  }

  /**
   * Starts one; the future fails when the port is taken.
   *
   * @throws ScriptException when the script can't be used
   */
  public static Future<Receiver> start(Vertx vertx, ReceiverOptions options) {
    Receiver receiver = new Receiver(options);
    return vertx.deployVerticle(receiver).map(receiver);
  }

  /**
   * Runs one until the process is told to end (SIGTERM, SIGINT); the log is whole then.
   *
   * @param ready is given {@link #readyLine()}
   * @throws ScriptException when the script can't be used
   * @throws IOException when the port is taken
   */
  public static void run(ReceiverOptions options, Consumer<String> ready) throws IOException {
    Vertx vertx = Vertx.vertx(new VertxOptions().setEventLoopPoolSize(1));
    Receiver receiver;
    try {
      receiver = start(vertx, options).toCompletionStage().toCompletableFuture().join();
    } catch (CompletionException e) {
      vertx.close();
      throw e.getCause() instanceof IOException io ? io : new IOException(e.getCause());
    } catch (RuntimeException e) {
      vertx.close();
      throw e;
    }
    CountDownLatch closed = new CountDownLatch(1);
    Runtime.getRuntime()
        .addShutdownHook(
            new Thread(
                () -> {
                  receiver.close().toCompletionStage().toCompletableFuture().join();
                  closed.countDown();
                },
                "receiver-close"));
    ready.accept(receiver.readyLine());
    try {
      closed.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private static Script readScript(@Nullable Path file) {
    if (file == null) {
      return Script.ALWAYS_OK;
    }
    try {
      return ScriptReader.read(Files.readString(file));
    } catch (IOException e) {
      throw new UncheckedIOException("can't read the script " + file + ": " + e, e);
    }
  }

  @Override
  public Future<?> start() {
    HttpServerOptions http =
        new HttpServerOptions()
            .setTcpNoDelay(true)
            .setIdleTimeout(0)
            .setHttp2ClearTextEnabled(false);
    server = vertx.createHttpServer(http).requestHandler(this::handle);
    return server
        .listen(options.port(), HOST)
        .recover(
            failure ->
                Future.failedFuture(
                    new IOException(
                        "can't listen on "
                            + HOST
                            + ":"
                            + options.port()
                            + ": "
                            + failure.getMessage(),
                        failure)));
  }

  @Override
  public Future<?> stop() {
    Future<?> closed = server == null ? Future.succeededFuture() : server.close();
    return closed.eventually(this::closeLog);
  }

  private Future<?> closeLog() {
    ArrivalLog open = log;
    return open == null
        ? Future.succeededFuture()
        : vertx.executeBlocking(
            () -> {
              open.close();
              return open;
            });
  }

  public int port() {
    return server == null ? options.port() : server.actualPort();
  }

  /** What a person or a script waits for. */
  public String readyLine() {
    return "receiver ready on http://"
        + HOST
        + ":"
        + port()
        + (options.log() == null ? "" : ", arrivals in " + options.log());
  }

  /** Stops listening and writes what the log still holds. */
  public Future<Void> close() {
    return vertx.undeploy(deploymentID());
  }

  private void handle(HttpServerRequest request) {
    if (path(request).startsWith(CONTROL)) {
      control(request);
      return;
    }
    MessageDigest digest = sha256();
    long[] length = {0};
    request.handler(
        bytes -> {
          length[0] += bytes.length();
          digest.update(bytes.getBytes());
        });
    request.exceptionHandler(brokenOff -> {});
    request.endHandler(
        end -> arrived(request, HexFormat.of().formatHex(digest.digest()), length[0]));
  }

  private void arrived(HttpServerRequest request, String sha256, long bodyBytes) {
    // In this order: a pause between the two makes an answer look early, never late, and a settle
    // that came after it is not taken for an early acknowledgement.
    Instant now = Instant.now();
    long nowNs = System.nanoTime();
    String key = request.getHeader("Idempotency-Key");
    long stated = number(request.getHeader("Weir-Attempt"), 0);
    long attempt = stated > 0 ? stated : key == null ? 1 : memory.arrivalsOf(key) + 1;
    Answer answer = run.answer(path(request), attempt, nowNs, now);
    boolean atOnce = answer.ending() == Ending.ANSWER && answer.delayMs() == 0;
    Arrival arrival =
        new Arrival(
            ++lastSeq,
            nowNs,
            now.getEpochSecond() * 1_000_000 + now.getNano() / 1_000,
            path(request),
            request.method().name(),
            key,
            request.getHeader("Weir-Message-Id"),
            stated,
            number(request.getHeader("Weir-Sent-At"), Arrival.NONE),
            request.getHeader("Weir-Node"),
            sha256,
            bodyBytes,
            result(answer),
            atOnce ? nowNs : Arrival.NONE);
    memory.arrived(arrival);
    write(arrival.toJson());
    if (answer.delayMs() == 0) {
      perform(request, answer, arrival);
    } else {
      vertx.setTimer(answer.delayMs(), late -> perform(request, answer, arrival));
    }
  }

  private static String result(Answer answer) {
    return switch (answer.ending()) {
      case ANSWER -> String.valueOf(answer.status());
      case RESET -> "reset";
      case CLOSE -> "close";
      case HANG -> "hang";
    };
  }

  private void perform(HttpServerRequest request, Answer answer, Arrival arrival) {
    HttpServerResponse response = request.response();
    if (response.closed() || answer.ending() == Ending.HANG) {
      return;
    }
    switch (answer.ending()) {
      case RESET -> reset(request);
      case CLOSE -> request.connection().close();
      default -> {
        if (answer.delayMs() > 0) {
          answeredLate(arrival);
        }
        send(response, answer);
      }
    }
  }

  private void answeredLate(Arrival arrival) {
    Arrival answered = arrival.answeredAt(System.nanoTime());
    memory.answered(answered);
    write(new JsonObject().put("seq", answered.seq()).put("answeredNs", answered.answeredNs()));
  }

  private void send(HttpServerResponse response, Answer answer) {
    response.setStatusCode(answer.status());
    answer.headers().forEach(response::putHeader);
    Drip drip = answer.drip();
    if (drip == null) {
      response.end(answer.body());
      return;
    }
    Buffer body = Buffer.buffer(answer.body());
    response.putHeader("Content-Length", String.valueOf(body.length()));
    drip(response, body, 0, drip);
  }

  private void drip(HttpServerResponse response, Buffer body, int from, Drip drip) {
    if (response.closed()) {
      return;
    }
    int to = Math.min(body.length(), from + drip.bytes());
    if (to == body.length()) {
      response.end(body.slice(from, to));
      return;
    }
    response.write(body.slice(from, to));
    vertx.setTimer(drip.everyMs(), next -> drip(response, body, to, drip));
  }

  /**
   * A real RST: an ordinary close sends FIN, which clients report as another failure. Only the
   * channel beneath has the option, and Vert.x hands it out in its implementation alone.
   */
  private static void reset(HttpServerRequest request) {
    if (request.connection() instanceof VertxConnection connection) {
      connection.channel().config().setOption(ChannelOption.SO_LINGER, 0);
    }
    request.connection().close();
  }

  private void write(JsonObject line) {
    if (log != null) {
      log.append(line.encode());
    }
  }

  private void control(HttpServerRequest request) {
    String command = path(request).substring(CONTROL.length());
    if (request.method() == HttpMethod.GET && command.equals("stats")) {
      reply(request, 200, memory.stats().put("elapsedMs", run.elapsedMs(System.nanoTime())));
    } else if (request.method() == HttpMethod.GET && command.equals("log")) {
      long after = number(request.getParam("after"), 0);
      long limit = Math.max(1, Math.min(LOG_PAGE, number(request.getParam("limit"), 1_000)));
      reply(request, 200, memory.log(after, (int) limit));
    } else if (request.method() == HttpMethod.PUT && command.equals("script")) {
      request.body().onSuccess(body -> replaceScript(request, body));
    } else if (request.method() == HttpMethod.POST && command.equals("reset")) {
      memory = new ArrivalMemory();
      run = new ScriptRun(run.script(), System.nanoTime());
      reply(request, 200, new JsonObject().put("reset", true));
    } else {
      reply(
          request,
          404,
          problem(
              404,
              request.method()
                  + " "
                  + request.path()
                  + " is not there; there are GET stats, GET log?after=&limit=, PUT script and POST"
                  + " reset below "
                  + CONTROL));
    }
  }

  private void replaceScript(HttpServerRequest request, Buffer body) {
    if (body.length() > MAX_SCRIPT_BYTES) {
      reply(request, 413, problem(413, "a script has at most " + MAX_SCRIPT_BYTES + " bytes"));
      return;
    }
    try {
      run = new ScriptRun(ScriptReader.read(body.toString()), System.nanoTime());
      reply(request, 200, new JsonObject().put("paths", run.script().paths().size()));
    } catch (ScriptException e) {
      reply(request, 400, problem(400, String.valueOf(e.getMessage())));
    }
  }

  /** {@code *} and the authority form have none. */
  private static String path(HttpServerRequest request) {
    String path = request.path();
    return path == null ? "" : path;
  }

  private static JsonObject problem(int status, String detail) {
    return new JsonObject()
        .put("type", "about:blank")
        .put(
            "title",
            status == 404 ? "Not Found" : status == 413 ? "Content Too Large" : "Bad Request")
        .put("status", status)
        .put("detail", detail);
  }

  private static void reply(HttpServerRequest request, int status, JsonObject body) {
    request
        .response()
        .setStatusCode(status)
        .putHeader("Content-Type", status < 400 ? "application/json" : "application/problem+json")
        .end(body.toBuffer());
  }

  private static long number(@Nullable String text, long otherwise) {
    if (text == null) {
      return otherwise;
    }
    try {
      return Long.parseLong(text);
    } catch (NumberFormatException notANumber) {
      return otherwise;
    }
  }

  private static MessageDigest sha256() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java platform has SHA-256", e);
    }
  }
}
