package dev.weir.store.connection;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * A blocking conversation with a Redis on this machine, for its start and stop, when no event loop
 * need be there yet. Replies come as text, arrays flattened; an error reply is an {@link
 * ErrorReply}.
 */
final class PlainRedis implements AutoCloseable {

  private static final int TIMEOUT_MS = 2_000;

  private final Socket socket = new Socket();
  private final InputStream in;

  PlainRedis(int port, String password) throws IOException {
    try {
      socket.connect(new InetSocketAddress("127.0.0.1", port), TIMEOUT_MS);
      socket.setSoTimeout(TIMEOUT_MS);
      in = new BufferedInputStream(socket.getInputStream());
      call("AUTH", password);
    } catch (IOException e) {
      socket.close();
      throw e;
    }
  }

  List<String> call(String... command) throws IOException {
    ByteArrayOutputStream request = new ByteArrayOutputStream();
    append(request, "*" + command.length);
    for (String part : command) {
      append(request, "$" + part.getBytes(StandardCharsets.UTF_8).length);
      append(request, part);
    }
    socket.getOutputStream().write(request.toByteArray());
    List<String> reply = new ArrayList<>();
    read(reply);
    return reply;
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }

  private static void append(ByteArrayOutputStream request, String line) {
    request.writeBytes((line + "\r\n").getBytes(StandardCharsets.UTF_8));
  }

  private void read(List<String> reply) throws IOException {
    String line = line();
    if (line.isEmpty()) {
      throw new IOException("not a Redis: it answered with an empty line");
    }
    String rest = line.substring(1);
    switch (line.charAt(0)) {
      case '+', ':' -> reply.add(rest);
      case '-' -> throw new ErrorReply(rest);
      case '$' -> reply.add(bulk(number(rest)));
      case '*' -> {
        for (int left = number(rest); left > 0; left--) {
          read(reply);
        }
      }
      default -> throw new IOException("not a Redis: it answered " + line);
    }
  }

  private String bulk(int length) throws IOException {
    if (length < 0) {
      return "";
    }
    byte[] bytes = in.readNBytes(length + 2);
    if (bytes.length < length + 2) {
      throw new EOFException("the connection ended inside of a reply");
    }
    return new String(bytes, 0, length, StandardCharsets.UTF_8);
  }

  private static int number(String text) throws IOException {
    try {
      return Integer.parseInt(text);
    } catch (NumberFormatException e) {
      throw new IOException("not a Redis: it answered a length of " + text, e);
    }
  }

  private String line() throws IOException {
    ByteArrayOutputStream line = new ByteArrayOutputStream();
    for (int c = in.read(); c != '\n'; c = in.read()) {
      if (c < 0) {
        throw new EOFException("the connection ended before the reply");
      }
      if (line.size() > 4_096) {
        throw new IOException("not a Redis: its first line doesn't end");
      }
      line.write(c);
    }
    return line.toString(StandardCharsets.UTF_8).stripTrailing();
  }

  /** Redis understood, and said no. */
  static final class ErrorReply extends IOException {
    ErrorReply(String message) {
      super(message);
    }

    boolean is(String code) {
      return String.valueOf(getMessage()).startsWith(code);
    }
  }
}
