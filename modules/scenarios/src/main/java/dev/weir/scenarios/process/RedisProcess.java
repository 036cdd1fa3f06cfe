package dev.weir.scenarios.process;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.Reader;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Properties;

/**
 * The Redis that a node runs below its data directory, as a fault would meet it: it can be frozen,
 * killed, and filled up.
 */
public final class RedisProcess {

  private static final int ANSWER_LIMIT_MS = 5_000;

  private final long pid;
  private final int port;
  private final String password;

  private RedisProcess(long pid, int port, String password) {
    this.pid = pid;
    this.port = port;
    this.password = password;
  }

  static RedisProcess below(Path data) {
    Path dir = data.resolve("redis");
    Properties run = new Properties();
    try (Reader in = Files.newBufferedReader(dir.resolve("redis.run"))) {
      run.load(in);
      return new RedisProcess(
          Long.parseLong(run.getProperty("pid")),
          Integer.parseInt(run.getProperty("port")),
          Files.readString(dir.resolve("redis.password")).strip());
    } catch (IOException | NumberFormatException e) {
      throw new ScenarioException("can't tell which Redis runs below " + dir + ": " + e, e);
    }
  }

  public long pid() {
    return pid;
  }

  public void freeze() {
    Signals.send(pid, "STOP");
  }

  public void thaw() {
    Signals.send(pid, "CONT");
  }

  public void kill() {
    Signals.send(pid, "KILL");
  }

  /**
   * From now on it refuses what would need memory (1 byte is over with any content at all), or
   * takes everything again (0).
   */
  public void maxMemory(long bytes) {
    call("CONFIG", "SET", "maxmemory", String.valueOf(bytes));
  }

  /** What {@code INFO} tells of a section, line by line. */
  public List<String> info(String section) {
    return ask(List.of("INFO", section)).lines().toList();
  }

  private void call(String... command) {
    ask(List.of(command));
  }

  private String ask(List<String> command) {
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
      socket.setSoTimeout(ANSWER_LIMIT_MS);
      InputStream in = new BufferedInputStream(socket.getInputStream());
      String answer = "";
      for (List<String> words : List.of(List.of("AUTH", password), command)) {
        socket.getOutputStream().write(encode(words));
        answer = reply(words.get(0), in);
      }
      return answer;
    } catch (IOException e) {
      throw new ScenarioException("Redis on port " + port + " does not answer: " + e, e);
    }
  }

  /** An OK or a bulk string; anything else is a failure. */
  private static String reply(String command, InputStream in) throws IOException {
    String head = line(in);
    if (head.startsWith("+OK")) {
      return head;
    }
    if (!head.startsWith("$")) {
      throw new ScenarioException("Redis answered " + command + " with " + head);
    }
    byte[] text = in.readNBytes(Integer.parseInt(head.substring(1)));
    return new String(text, StandardCharsets.UTF_8);
  }

  private static byte[] encode(List<String> words) {
    StringBuilder out = new StringBuilder("*").append(words.size()).append("\r\n");
    for (String word : words) {
      int bytes = word.getBytes(StandardCharsets.UTF_8).length;
      out.append('$').append(bytes).append("\r\n").append(word).append("\r\n");
    }
    return out.toString().getBytes(StandardCharsets.UTF_8);
  }

  private static String line(InputStream in) throws IOException {
    StringBuilder line = new StringBuilder();
    for (int b = in.read(); b != '\n'; b = in.read()) {
      if (b < 0) {
        throw new IOException("it closed the connection");
      }
      line.append((char) b);
    }
    return line.toString().stripTrailing();
  }
}
