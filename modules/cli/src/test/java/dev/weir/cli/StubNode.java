package dev.weir.cli;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/** A node that answers what it was told to, in turn, and notes what it was asked. */
final class StubNode implements AutoCloseable {

  /** What came in; headers by lower-case name. */
  record Asked(String method, String target, Map<String, String> headers, String body) {
    String line() {
      return method + " " + target;
    }
  }

  private record Reply(int status, Map<String, String> headers, String body) {}

  private final HttpServer server;
  private final Queue<Reply> replies = new ConcurrentLinkedQueue<>(new ArrayDeque<>());
  private final List<Asked> asked = Collections.synchronizedList(new ArrayList<>());

  StubNode() throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext("/", this::answer);
    server.start();
  }

  StubNode reply(int status, String body) {
    return reply(status, Map.of("Content-Type", "application/json"), body);
  }

  StubNode reply(int status, Map<String, String> headers, String body) {
    replies.add(new Reply(status, headers, body));
    return this;
  }

  String url() {
    return "http://127.0.0.1:" + server.getAddress().getPort();
  }

  List<Asked> asked() {
    return List.copyOf(asked);
  }

  @Override
  public void close() {
    server.stop(0);
  }

  private void answer(HttpExchange exchange) throws IOException {
    String body = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
    Map<String, String> headers = new java.util.TreeMap<>(String.CASE_INSENSITIVE_ORDER);
    exchange.getRequestHeaders().forEach((name, values) -> headers.put(name, values.get(0)));
    asked.add(
        new Asked(exchange.getRequestMethod(), exchange.getRequestURI().toString(), headers, body));
    Reply next = replies.poll();
    Reply reply = next == null ? new Reply(500, Map.of(), "no reply was prepared") : next;
    reply.headers().forEach(exchange.getResponseHeaders()::set);
    byte[] bytes = reply.body().getBytes(StandardCharsets.UTF_8);
    exchange.sendResponseHeaders(reply.status(), bytes.length == 0 ? -1 : bytes.length);
    exchange.getResponseBody().write(bytes);
    exchange.close();
  }
}
