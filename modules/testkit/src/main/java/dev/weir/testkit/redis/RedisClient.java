package dev.weir.testkit.redis;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A blocking client of one connection, for what a test wants to see or set behind the back of what
 * it tests. Not for speed.
 */
public final class RedisClient implements AutoCloseable {

  private final Socket socket;
  private final InputStream in;
  private final OutputStream out;

  public RedisClient(int port, Duration timeout) throws IOException {
    socket = new Socket();
    try {
      int timeoutMs = (int) timeout.toMillis();
      socket.connect(new InetSocketAddress("127.0.0.1", port), timeoutMs);
      socket.setSoTimeout(timeoutMs);
      in = new BufferedInputStream(socket.getInputStream());
      out = new BufferedOutputStream(socket.getOutputStream());
    } catch (IOException e) {
      socket.close();
      throw e;
    }
  }

  /**
   * Sends one command and waits for its reply.
   *
   * @return a String, Long, List of these, or null for nil
   * @throws IllegalStateException with Redis' text for an error reply
   */
  public @Nullable Object call(String... command) {
    try {
      out.write(encoded(command));
      out.flush();
      return read();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static byte[] encoded(String... command) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    bytes.writeBytes(ascii("*" + command.length + "\r\n"));
    for (String part : command) {
      byte[] raw = part.getBytes(StandardCharsets.UTF_8);
      bytes.writeBytes(ascii("$" + raw.length + "\r\n"));
      bytes.writeBytes(raw);
      bytes.writeBytes(ascii("\r\n"));
    }
    return bytes.toByteArray();
  }

  private @Nullable Object read() throws IOException {
    String line = line();
    String rest = line.substring(1);
    switch (line.charAt(0)) {
      case '+':
        return rest;
      case '-':
        throw new IllegalStateException(rest);
      case ':':
        return Long.valueOf(rest);
      case '$':
        return bulk(Integer.parseInt(rest));
      case '*':
        return array(Integer.parseInt(rest));
      default:
        throw new IOException("not a reply of Redis: " + line);
    }
  }

  private @Nullable String bulk(int length) throws IOException {
    if (length < 0) {
      return null;
    }
    byte[] bytes = in.readNBytes(length + 2);
    if (bytes.length < length + 2) {
      throw new EOFException("the connection ended inside of a reply");
    }
    return new String(bytes, 0, length, StandardCharsets.UTF_8);
  }

  private @Nullable List<@Nullable Object> array(int length) throws IOException {
    if (length < 0) {
      return null;
    }
    List<@Nullable Object> items = new ArrayList<>();
    for (int i = 0; i < length; i++) {
      items.add(read());
    }
    return items;
  }

  private String line() throws IOException {
    StringBuilder line = new StringBuilder();
    for (int c = in.read(); c != '\n'; c = in.read()) {
      if (c < 0) {
        throw new EOFException("the connection ended before the reply");
      }
      line.append((char) c);
    }
    line.setLength(line.length() - 1);
    return line.toString();
  }

  private static byte[] ascii(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }

  @Override
  public void close() {
    try {
      socket.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
