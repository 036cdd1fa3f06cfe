package dev.weir.api;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.net.SocketException;
import java.time.Duration;
import java.util.Locale;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What only shows byte by byte: when reading stops, and who waits for whom. */
@Timeout(60)
class LimitsOnTheWireTest {

  private static final Duration BODY_DEADLINE = Duration.ofMillis(500);

  private final ApiFixture api =
      new ApiFixture(new ApiConfig("127.0.0.1", 0, Duration.ofSeconds(30), BODY_DEADLINE));

  @BeforeEach
  void subscriber() {
    api.subscriber("s");
  }

  @AfterEach
  void close() {
    api.close();
  }

  private static void send(Socket socket, String text) throws IOException {
    socket.getOutputStream().write(text.getBytes(ISO_8859_1));
    socket.getOutputStream().flush();
  }

  private static String head(String... headers) {
    return "POST /v1/queue/publish HTTP/1.1\r\nHost: h\r\n"
        + String.join("\r\n", headers)
        + "\r\n\r\n";
  }

  /** One answer: head, and body by its length. */
  private static String answer(InputStream in) throws IOException {
    ByteArrayOutputStream head = new ByteArrayOutputStream();
    while (!head.toString(ISO_8859_1).endsWith("\r\n\r\n")) {
      int next = in.read();
      if (next < 0) {
        throw new IOException("closed after: " + head.toString(ISO_8859_1));
      }
      head.write(next);
    }
    String text = head.toString(ISO_8859_1);
    int at = text.toLowerCase(Locale.ROOT).indexOf("content-length: ");
    int length = at < 0 ? 0 : Integer.parseInt(text.substring(at + 16, text.indexOf("\r\n", at)));
    return text + new String(in.readNBytes(length), ISO_8859_1);
  }

  private static boolean isClosed(InputStream in) throws IOException {
    try {
      return in.read() < 0;
    } catch (SocketException reset) {
      return true;
    }
  }

  @Test
  void anAnnouncedBodyTooLargeIsRefusedBeforeAByteOfIt() throws IOException {
    try (Socket socket = api.connect()) {
      send(socket, head("Weir-To: s", "Content-Length: 262145"));
      String answer = answer(socket.getInputStream());

      assertThat(answer).startsWith("HTTP/1.1 413").containsIgnoringCase("connection: close");
      assertThat(answer).contains("application/problem+json").contains("262144");
      assertThat(isClosed(socket.getInputStream())).isTrue();
    }
    assertThat(api.rejected).containsExactly(413);
  }

  @Test
  void anAnnouncedEnvelopeTooLargeIsRefusedBeforeAByteOfIt() throws IOException {
    try (Socket socket = api.connect()) {
      send(socket, head("Content-Type: application/json", "Content-Length: 1048577"));
      assertThat(answer(socket.getInputStream())).startsWith("HTTP/1.1 413");
    }
    try (Socket socket = api.connect()) {
      send(socket, head("Weir-To: s", "Content-Length: 99999999999999999999"));
      assertThat(answer(socket.getInputStream())).startsWith("HTTP/1.1 4");
    }
  }

  @Test
  void aClientThatAsksFirstIsToldToGoOnOrNot() throws IOException {
    try (Socket socket = api.connect()) {
      InputStream in = socket.getInputStream();
      send(socket, head("Weir-To: s", "Content-Length: 3", "Expect: 100-continue"));
      assertThat(answer(in)).startsWith("HTTP/1.1 100");
      send(socket, "abc");
      assertThat(answer(in)).startsWith("HTTP/1.1 202");
    }
    try (Socket socket = api.connect()) {
      send(socket, head("Weir-To: s", "Content-Length: 262145", "Expect: 100-continue"));
      assertThat(answer(socket.getInputStream())).startsWith("HTTP/1.1 413");
    }
  }

  @Test
  void anUnannouncedStreamIsCutWhereItPassesTheLimit() throws IOException {
    try (Socket socket = api.connect()) {
      send(socket, head("Weir-To: s", "Transfer-Encoding: chunked"));
      byte[] chunk = ("10000\r\n" + "a".repeat(65_536) + "\r\n").getBytes(ISO_8859_1);
      for (int i = 0; i < 5; i++) {
        socket.getOutputStream().write(chunk);
      }
      // The answer comes while the stream goes on.
      assertThat(answer(socket.getInputStream())).startsWith("HTTP/1.1 413").contains("is longer");
      assertThatThrownBy(
              () -> {
                for (int i = 0; i < 160; i++) {
                  socket.getOutputStream().write(chunk);
                }
              })
          .isInstanceOf(SocketException.class);
    }
    assertThat(api.get("/v1/balance").json().getLong("accepted")).isZero();
  }

  @Test
  void aChunkedBodyOfExactlyTheLimitPasses() throws IOException {
    try (Socket socket = api.connect()) {
      send(socket, head("Weir-To: s", "Transfer-Encoding: chunked"));
      send(socket, "40000\r\n" + "a".repeat(262_144) + "\r\n0\r\n\r\n");
      assertThat(answer(socket.getInputStream())).startsWith("HTTP/1.1 202");
    }
    assertThat(api.sent("s")).hasSize(262_144);
  }

  @Test
  void aBodyThatNeverEndsIsGivenUp() throws IOException {
    try (Socket socket = api.connect()) {
      send(socket, head("Weir-To: s", "Content-Length: 10") + "abc");
      String answer = answer(socket.getInputStream());
      assertThat(answer).startsWith("HTTP/1.1 408").contains("\"limit\":\"500ms\"");
      assertThat(isClosed(socket.getInputStream())).isTrue();
    }
  }

  @Test
  void slowClientsDoNotHoldUpOthers() throws IOException {
    Socket[] slow = new Socket[50];
    try {
      for (int i = 0; i < slow.length; i++) {
        slow[i] = api.connect();
        send(slow[i], head("Weir-To: s", "Content-Length: 10") + "a");
      }
      assertThat(api.publish("{\"to\":\"s\",\"body\":1}").status()).isEqualTo(202);
    } finally {
      for (Socket socket : slow) {
        if (socket != null) {
          socket.close();
        }
      }
    }
  }

  @Test
  void aClientThatGoesAwayIsForgotten() throws IOException {
    try (Socket socket = api.connect()) {
      send(socket, head("Weir-To: s", "Content-Length: 10") + "abc");
    }
    assertThat(api.get("/v1/balance").json().getLong("accepted")).isZero();
    assertThat(api.rejected).isEmpty();
  }

  @Test
  void requestsInARowAreAnsweredInOrder() throws IOException {
    try (Socket socket = api.connect()) {
      InputStream in = new BufferedInputStream(socket.getInputStream());
      send(
          socket,
          head("Weir-To: s", "Weir-Id: a", "Content-Length: 1")
              + "1"
              + head("Weir-To: no", "Content-Length: 1")
              + "2"
              + head("Weir-To: s", "Weir-Id: b", "Content-Length: 1")
              + "3"
              + "GET /health/live HTTP/1.1\r\nHost: h\r\n\r\n");
      assertThat(answer(in)).startsWith("HTTP/1.1 202").contains("\"id\":\"a\"");
      assertThat(answer(in)).startsWith("HTTP/1.1 404");
      assertThat(answer(in)).startsWith("HTTP/1.1 202").contains("\"id\":\"b\"");
      assertThat(answer(in)).startsWith("HTTP/1.1 200").contains("live");
    }
  }

  @Test
  void headersTooLargeAndNonsenseGetAProblem() throws IOException {
    try (Socket socket = api.connect()) {
      send(socket, head("Weir-To: " + "s,".repeat(40_000)));
      assertThat(answer(socket.getInputStream()))
          .startsWith("HTTP/1.1 431")
          .contains("urn:weir:problem:headers-too-large");
    }
    try (Socket socket = api.connect()) {
      send(socket, "GET /" + "a".repeat(20_000) + " HTTP/1.1\r\nHost: h\r\n\r\n");
      assertThat(answer(socket.getInputStream())).contains(" 414 ");
    }
    try (Socket socket = api.connect()) {
      send(socket, "GET /v1/subscribers/%zz HTTP/1.1\r\nHost: h\r\n\r\n");
      assertThat(answer(socket.getInputStream())).startsWith("HTTP/1.1 400").contains("%25");
    }
  }

  @Test
  void aBodyForNobodyIsNotRead() throws IOException {
    try (Socket socket = api.connect()) {
      send(socket, "POST /nowhere HTTP/1.1\r\nHost: h\r\nContent-Length: 1000000000\r\n\r\n");
      assertThat(answer(socket.getInputStream())).startsWith("HTTP/1.1 404");
      assertThat(isClosed(socket.getInputStream())).isTrue();
    }
  }
}
