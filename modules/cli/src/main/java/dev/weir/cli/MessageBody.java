package dev.weir.cli;

import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.DecodeException;
import io.vertx.core.json.Json;
import io.vertx.core.json.JsonObject;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/**
 * Where a message's body comes from. It reaches the subscriber byte for byte: JSON goes into the
 * request as it stands, everything else in base64.
 */
final class MessageBody {

  private static final String STDIN = "-";

  @Option(names = "--body", paramLabel = "TEXT", description = "The body itself.")
  private @Nullable String text;

  @Option(
      names = "--body-file",
      paramLabel = "FILE",
      description = "Read the body from a file; - is stdin.")
  private @Nullable String file;

  @Parameters(arity = "0..1", paramLabel = "STDIN", description = "A - reads the body from stdin.")
  private @Nullable String stdin;

  @Option(
      names = "--content-type",
      paramLabel = "TYPE",
      description =
          "Sent as Content-Type. Default: application/json for a body that is JSON, else none.")
  private @Nullable String contentType;

  /** The publish request: {@code fields}, and the body behind them. */
  byte[] splice(JsonObject fields, Map<String, String> headers, NodeOptions options) {
    byte[] body = read(options);
    boolean json = isJson(body);
    boolean verbatim = json && !isPadded(body);
    if (!headers.isEmpty()) {
      fields.put("headers", new JsonObject(new LinkedHashMap<>(headers)));
    }
    if (contentType != null) {
      fields.put("contentType", contentType);
    } else if (json && !verbatim) {
      fields.put("contentType", "application/json");
    }
    return verbatim
        ? insert(fields, "body", body)
        : insert(
            fields,
            "bodyBase64",
            ('"' + Base64.getEncoder().encodeToString(body) + '"')
                .getBytes(StandardCharsets.US_ASCII));
  }

  private byte[] read(NodeOptions options) {
    int sources = (text == null ? 0 : 1) + (file == null ? 0 : 1) + (stdin == null ? 0 : 1);
    if (sources != 1) {
      throw options.usage("give the body once: --body TEXT, --body-file FILE, or - for stdin");
    }
    if (stdin != null && !stdin.equals(STDIN)) {
      throw options.usage("unexpected '" + stdin + "': the body is given with --body TEXT");
    }
    if (text != null) {
      return text.getBytes(StandardCharsets.UTF_8);
    }
    String source = stdin != null ? stdin : String.valueOf(file);
    try {
      return source.equals(STDIN) ? readAll(System.in) : Files.readAllBytes(Path.of(source));
    } catch (IOException e) {
      throw options.usage("can't read the body from " + source + ": " + e);
    }
  }

  private static byte[] readAll(InputStream in) throws IOException {
    return in.readAllBytes();
  }

  private static boolean isJson(byte[] body) {
    try {
      StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(body));
      Json.decodeValue(Buffer.buffer(body));
      return body.length > 0;
    } catch (CharacterCodingException | DecodeException notJson) {
      return false;
    }
  }

  /** White space around a value belongs to the request there, not to the body: it would be lost. */
  private static boolean isPadded(byte[] body) {
    return body[0] <= ' ' || body[body.length - 1] <= ' ';
  }

  private static byte[] insert(JsonObject fields, String name, byte[] rawJson) {
    byte[] head = fields.encode().getBytes(StandardCharsets.UTF_8);
    ByteArrayOutputStream request = new ByteArrayOutputStream(head.length + rawJson.length + 20);
    request.write(head, 0, head.length - 1); // without the closing brace; there is always "to"
    request.writeBytes((",\"" + name + "\":").getBytes(StandardCharsets.US_ASCII));
    request.writeBytes(rawJson);
    request.write('}');
    return request.toByteArray();
  }
}
