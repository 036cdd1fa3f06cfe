package dev.weir.app;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.weir.cli.ExitCodes;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The jar as a user runs it, with its embedded Redis, from outside. */
class ServerIT {

  private static final Logger LOG = LoggerFactory.getLogger(ServerIT.class);

  private static final Duration CLIENT_LIMIT = Duration.ofSeconds(30);

  /** The default drain time and what the rest of a stop may take. */
  private static final Duration STOP_LIMIT = Duration.ofSeconds(30);

  @TempDir private Path temp = Path.of("");

  private final HttpClient http = HttpClient.newHttpClient();
  private final HttpServer endpoint;
  private final BlockingQueue<String> arrived = new LinkedBlockingQueue<>();
  private final CountDownLatch letGo = new CountDownLatch(1);

  ServerIT() throws IOException {
    endpoint = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    endpoint.setExecutor(Executors.newCachedThreadPool());
    endpoint.createContext("/hooks", exchange -> answer(exchange, false));
    endpoint.createContext("/slow", exchange -> answer(exchange, true));
    endpoint.start();
  }

  @AfterEach
  void stopEndpoint() {
    letGo.countDown();
    endpoint.stop(0);
  }

  @Test
  void deliversWhatIsPublishedAndKnowsItAfterARestart() throws Exception {
    Path data = temp.resolve("the data");
    long beganNanos = System.nanoTime();
    try (JarProcess node = JarProcess.server(data)) {
      LOG.info("ready after {} ms", TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - beganNanos));
      put(node, "/v1/subscribers/store_17", "{\"endpoint\":\"" + endpointUrl("/hooks") + "\"}");
      publish(node, "shp_1", "{\"n\": 9007199254740993}");

      assertThat(arrived.poll(10, TimeUnit.SECONDS)).isEqualTo("{\"n\": 9007199254740993}");
      awaitMetric(node, "weir_accepted_total 1.0");
      assertThat(get(node, "/metrics")).contains("jvm_memory_used_bytes");
      assertThat(node.terminate(STOP_LIMIT)).as(node.said()).isZero();
    }

    try (JarProcess again = JarProcess.server(data)) {
      assertThat(get(again, "/v1/messages/shp_1")).contains("\"state\":\"done\"");
      assertThat(weir("balance", "--url", again.url())).isZero();
      publish(again, "shp_1", "{\"n\": 9007199254740993}");
      publish(again, "shp_2", "{}");
      assertThat(arrived.poll(10, TimeUnit.SECONDS)).as("only the new one").isEqualTo("{}");
    }
  }

  @Test
  void aStopFinishesWhatIsUnderWay() throws Exception {
    Path data = temp.resolve("data");
    try (JarProcess node = JarProcess.server(data)) {
      put(node, "/v1/subscribers/store_17", "{\"endpoint\":\"" + endpointUrl("/slow") + "\"}");
      publish(node, "shp_1", "1");
      assertThat(arrived.poll(10, TimeUnit.SECONDS)).isEqualTo("1");

      node.tellToStop();
      node.awaitSaid("finishing what is under way", CLIENT_LIMIT);
      letGo.countDown();

      assertThat(node.exit(STOP_LIMIT)).as(node.said()).isZero();
    }
    try (JarProcess again = JarProcess.server(data)) {
      assertThat(get(again, "/v1/messages/shp_1")).contains("\"state\":\"done\"");
    }
    assertThat(arrived).isEmpty();
  }

  @Test
  void aSecondNodeOnTheSameDataIsRefused() throws Exception {
    Path data = temp.resolve("data");
    try (JarProcess first = JarProcess.server(data);
        JarProcess second =
            JarProcess.start("server", "--http", "127.0.0.1:0", "--data", data.toString())) {
      assertThat(second.exit(CLIENT_LIMIT)).isEqualTo(ExitCodes.REFUSED);
      assertThat(second.said()).contains("weir: can't start: ").contains(data.toString());
      assertThat(get(first, "/health/ready")).contains("ready");
    }
  }

  @Test
  void aTakenPortIsRefusedAndNamed() throws Exception {
    try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        JarProcess node =
            JarProcess.start(
                "server",
                "--http",
                "127.0.0.1:" + taken.getLocalPort(),
                "--data",
                temp.resolve("data").toString())) {
      assertThat(node.exit(CLIENT_LIMIT)).isEqualTo(ExitCodes.REFUSED);
      assertThat(node.said())
          .contains("127.0.0.1:" + taken.getLocalPort() + " is taken")
          .contains("--http");
    }
  }

  @Test
  void aWrongConfigurationIsToldWhole() throws Exception {
    Path config = Files.writeString(temp.resolve("weir.yaml"), "htpp: {}\nlog: {level: loud}\n");
    try (JarProcess node =
        JarProcess.start("server", "--http", "0.0.0.0:1", "--config", config.toString())) {
      assertThat(node.exit(CLIENT_LIMIT)).isEqualTo(ExitCodes.USAGE);
      assertThat(node.said())
          .contains("3 problems")
          .contains("htpp: is not a known key; did you mean 'http'?")
          .contains("log.level: must be one of")
          .contains("--http: 0.0.0.0 can be reached from other machines");
    }
  }

  @Test
  void aClientWithoutANodeSaysHowToGetOne() throws Exception {
    int free;
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      free = socket.getLocalPort();
    }
    assertThat(weir("balance", "--url", "http://127.0.0.1:" + free))
        .isEqualTo(ExitCodes.UNREACHABLE);
  }

  private static int weir(String... arguments) throws Exception {
    try (JarProcess client = JarProcess.start(arguments)) {
      return client.exit(CLIENT_LIMIT);
    }
  }

  private void publish(JarProcess node, String id, String body) throws Exception {
    String request = "{\"to\":\"store_17\",\"id\":\"" + id + "\",\"body\":" + body + "}";
    assertThat(send(node, "POST", "/v1/queue/publish", request).statusCode()).isEqualTo(202);
  }

  private void put(JarProcess node, String path, String body) throws Exception {
    HttpResponse<String> answer = send(node, "PUT", path, body);
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(201);
  }

  private String get(JarProcess node, String path) throws Exception {
    HttpResponse<String> answer =
        http.send(
            HttpRequest.newBuilder(URI.create(node.url() + path)).build(), BodyHandlers.ofString());
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
    return answer.body();
  }

  /** The store's sums are read once a second; each scrape is a signal to look again. */
  private void awaitMetric(JarProcess node, String line) throws Exception {
    long untilNanos = System.nanoTime() + CLIENT_LIMIT.toNanos();
    while (!get(node, "/metrics").contains(line)) {
      assertThat(System.nanoTime()).as("until '%s'", line).isLessThan(untilNanos);
    }
  }

  private HttpResponse<String> send(JarProcess node, String method, String path, String body)
      throws Exception {
    return http.send(
        HttpRequest.newBuilder(URI.create(node.url() + path))
            .method(method, BodyPublishers.ofString(body))
            .header("Content-Type", "application/json")
            .build(),
        BodyHandlers.ofString());
  }

  private String endpointUrl(String path) {
    return "http://127.0.0.1:" + endpoint.getAddress().getPort() + path;
  }

  private void answer(HttpExchange exchange, boolean slowly) throws IOException {
    String body = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
    arrived.add(body);
    if (slowly) {
      awaitLetGo();
    }
    exchange.sendResponseHeaders(204, -1);
    exchange.close();
  }

  private void awaitLetGo() {
    try {
      letGo.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
