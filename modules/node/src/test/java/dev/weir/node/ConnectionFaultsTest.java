package dev.weir.node;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.domain.outcome.RetryPolicy;
import dev.weir.protocol.store.InspectionStore.DeliveryView;
import dev.weir.protocol.store.InspectionStore.State;
import io.vertx.core.Handler;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.net.JksOptions;
import io.vertx.core.net.NetServer;
import io.vertx.core.net.NetSocket;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * What goes wrong before a request can be written: names, routes, handshakes. All of it retries.
 */
@Timeout(60)
class ConnectionFaultsTest {

  private final Vertx outside = Vertx.vertx();

  @AfterEach
  void close() {
    outside.close().await();
  }

  @ParameterizedTest
  @CsvSource({"3", "2"})
  void aNameThatIsRepairedIsFoundWithinSeconds(int code) throws Exception {
    NameServer names = NameServer.start(outside, code);
    Endpoint endpoint = Endpoint.answering(outside, 200);
    try (RunningNode running = RunningNode.resolvingBy(names)) {
      RetryPolicy patient =
          new RetryPolicy(
              Duration.ofMillis(300), 1.0, Duration.ofMillis(300), Duration.ofMillis(100), 100);
      running.put(
          RunningNode.withRetry(
              RunningNode.subscriber("s", named("hooks.weir.example", endpoint)), patient),
          "unlimited",
          2);
      running.publish("s", "m");
      running.awaitTotals(totals -> attempts(running) >= 3, 10_000);
      assertThat(running.delivery("m", "s").attempts().get(0))
          .contains("\"error\":\"dns\"", "\"sentAt\":null", "\"outcome\":\"retry\"");

      names.nowAnswers(NameServer.OK);

      long repaired = System.nanoTime();
      running.awaitState("m", "s", State.DONE);
      assertThat(TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - repaired)).isLessThan(5_000);
    }
  }

  @Test
  void anIpv6AddressThatLeadsNowhereDoesNotHideTheOneThatWorks() throws Exception {
    NameServer names = NameServer.start(outside, NameServer.OK);
    Endpoint endpoint = Endpoint.answering(outside, 200);
    try (RunningNode running = RunningNode.resolvingBy(names)) {
      running.put(
          RunningNode.subscriber("s", named("dual.weir.example", endpoint)), "unlimited", 2);

      running.publish("s", "m");

      assertThat(running.awaitState("m", "s", State.DONE).delivery().attempts()).isEqualTo(1);
    }
  }

  @ParameterizedTest
  @CsvSource({"-30d, 10", "-1d, 365"})
  void aCertificateThatIsExpiredOrUntrustedIsAskedForOnALongStep(
      String from, String days, @TempDir Path directory) throws Exception {
    Path store = keyStore(directory.resolve("server.jks"), from, days);
    int port =
        outside
            .createHttpServer(
                new HttpServerOptions()
                    .setSsl(true)
                    .setKeyCertOptions(
                        new JksOptions().setPath(store.toString()).setPassword("changeit")))
            .requestHandler(request -> request.response().end())
            .listen(0, "127.0.0.1")
            .await()
            .actualPort();
    try (RunningNode running = RunningNode.start()) {
      DeliveryView view = firstAttempt(running, port, Duration.ofSeconds(5));

      assertThat(view.attempts().get(0))
          .contains("\"error\":\"certificate\"", "\"sentAt\":null", "\"outcome\":\"retry\"");
      assertThat(view.delivery().state()).isEqualTo(State.RETRY_SCHEDULED);
      assertThat(view.nextAtMs()).isGreaterThan(System.currentTimeMillis() + 50_000);
    }
  }

  @Test
  void aHandshakeThatIsNeverAnsweredEndsAtTheDeadlineAndIsNoBadCertificate() throws Exception {
    try (RunningNode running = RunningNode.start()) {
      List<NetSocket> accepted = new CopyOnWriteArrayList<>();
      int port = listen(accepted::add);

      DeliveryView view = firstAttempt(running, port, Duration.ofMillis(400));

      assertThat(view.attempts().get(0))
          .contains("\"error\":\"timeout\"", "\"sentAt\":null", "\"outcome\":\"retry\"");
      // Vert.x waits with its close for handshakes that are under way.
      running.node.drain(Duration.ofSeconds(1)).await(5, TimeUnit.SECONDS);
      accepted.forEach(NetSocket::close);
    }
  }

  @Test
  void aConnectionThatIsResetInTheHandshakeIsRetriedUnsent() throws Exception {
    try (RunningNode running = RunningNode.start()) {
      int port = listen(socket -> socket.handler(hello -> socket.close()));

      DeliveryView view = firstAttempt(running, port, Duration.ofSeconds(5));

      assertThat(view.attempts().get(0))
          .containsPattern("\"error\":\"(tls|reset)\"")
          .contains("\"sentAt\":null", "\"outcome\":\"retry\"")
          .doesNotContain("ambiguous");
    }
  }

  private DeliveryView firstAttempt(RunningNode running, int port, Duration timeout)
      throws Exception {
    running.put(
        RunningNode.withTimeout(
            RunningNode.subscriber("s", URI.create("https://127.0.0.1:" + port + "/in")), timeout),
        "unlimited",
        2);
    running.publish("s", "m");
    running.awaitTotals(totals -> attempts(running) >= 1, 10_000);
    return running.delivery("m", "s");
  }

  private static int attempts(RunningNode running) {
    return running.delivery("m", "s").attempts().size();
  }

  private static URI named(String host, Endpoint endpoint) {
    return URI.create("http://" + host + ":" + endpoint.uri().getPort() + "/in");
  }

  private int listen(Handler<NetSocket> handler) {
    NetServer server = outside.createNetServer().connectHandler(handler);
    return server.listen(0, "127.0.0.1").await().actualPort();
  }

  private static Path keyStore(Path file, String from, String days) throws Exception {
    Path keytool = Path.of(System.getProperty("java.home"), "bin", "keytool");
    List<String> command =
        List.of(
            keytool.toString(),
            "-genkeypair",
            "-keyalg",
            "EC",
            "-alias",
            "server",
            "-dname",
            "CN=localhost",
            "-ext",
            "san=ip:127.0.0.1",
            "-startdate",
            from,
            "-validity",
            days,
            "-storepass",
            "changeit",
            "-keystore",
            file.toString());
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    String said = new String(process.getInputStream().readAllBytes());
    assertThat(process.waitFor()).as(said).isZero();
    return file;
  }
}
