package dev.weir.testkit.redis;

import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One request or reply as its very bytes, and the bulk strings in it (of a request: command and
 * arguments). Just enough of the protocol to know where a frame ends.
 */
record RespFrame(byte[] bytes, List<byte[]> bulks) {

  /** Reads one frame, or null where the stream ends between two. */
  static @Nullable RespFrame read(InputStream in) throws IOException {
    int first = in.read();
    if (first < 0) {
      return null;
    }
    ByteArrayOutputStream bytes = new ByteArrayOutputStream(128);
    List<byte[]> bulks = new ArrayList<>();
    bytes.write(first);
    value(first, in, bytes, bulks);
    return new RespFrame(bytes.toByteArray(), bulks);
  }

  boolean begins(String text) {
    byte[] start = text.getBytes(StandardCharsets.US_ASCII);
    for (int i = 0; i < start.length; i++) {
      if (i >= bytes.length || bytes[i] != start[i]) {
        return false;
      }
    }
    return true;
  }

  String bulk(int index) {
    return new String(bulks.get(index), StandardCharsets.UTF_8);
  }

  private static void value(
      int type, InputStream in, ByteArrayOutputStream bytes, List<byte[]> bulks)
      throws IOException {
    String line = line(in, bytes);
    switch (type) {
      case '$', '=' -> bulk(Integer.parseInt(line), in, bytes, bulks);
      case '*', '~', '>' -> values(Integer.parseInt(line), in, bytes, bulks);
      case '%' -> values(2 * Integer.parseInt(line), in, bytes, bulks);
      default -> {
        // The line was all of it.
      }
    }
  }

  private static void values(
      int count, InputStream in, ByteArrayOutputStream bytes, List<byte[]> bulks)
      throws IOException {
    for (int i = 0; i < count; i++) {
      int type = next(in);
      bytes.write(type);
      value(type, in, bytes, bulks);
    }
  }

  private static void bulk(
      int length, InputStream in, ByteArrayOutputStream bytes, List<byte[]> bulks)
      throws IOException {
    if (length < 0) {
      return;
    }
    byte[] content = in.readNBytes(length);
    byte[] end = in.readNBytes(2);
    if (end.length < 2) {
      throw new EOFException("the stream ended inside of a frame");
    }
    bytes.writeBytes(content);
    bytes.writeBytes(end);
    bulks.add(content);
  }

  private static String line(InputStream in, ByteArrayOutputStream bytes) throws IOException {
    StringBuilder line = new StringBuilder();
    int c = next(in);
    while (c != '\n') {
      bytes.write(c);
      line.append((char) c);
      c = next(in);
    }
    bytes.write(c);
    line.setLength(line.length() - 1);
    return line.toString();
  }

  private static int next(InputStream in) throws IOException {
    int c = in.read();
    if (c < 0) {
      throw new EOFException("the stream ended inside of a frame");
    }
    return c;
  }
}
