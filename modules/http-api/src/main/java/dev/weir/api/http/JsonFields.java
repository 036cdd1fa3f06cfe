package dev.weir.api.http;

import com.fasterxml.jackson.core.JacksonException;
import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonFactoryBuilder;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.io.JsonEOFException;
import dev.weir.domain.time.Durations;
import dev.weir.domain.time.Instants;
import io.vertx.core.buffer.Buffer;
import java.io.IOException;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharsetDecoder;
import java.nio.charset.CoderResult;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * The fields of one JSON object, read once and asked for by name and type. Whoever reads all that
 * it knows calls {@link #refuseUnknown()}: the rest is a mistake of the sender. Fields given twice
 * are refused. A null is not an absent field.
 *
 * <p>Every value remembers which bytes of the document it stands for, because a message's body is
 * sent as the bytes that its producer wrote: parsing and writing again would change numbers above
 * 2^53, escapes and blanks.
 */
public final class JsonFields {

  private static final int MAX_DEPTH = 1_000;

  private static final Pattern WHOLE = Pattern.compile("-?\\d{1,19}");

  /** Our own byte limits bound numbers, texts and names; nesting costs stack. */
  private static final JsonFactory FACTORY =
      new JsonFactoryBuilder()
          .disable(JsonFactory.Feature.INTERN_FIELD_NAMES)
          .streamReadConstraints(
              StreamReadConstraints.builder()
                  .maxNestingDepth(MAX_DEPTH)
                  .maxNumberLength(Integer.MAX_VALUE)
                  .maxStringLength(Integer.MAX_VALUE)
                  .maxNameLength(Integer.MAX_VALUE)
                  .build())
          .build();

  private final String prefix;
  private final Map<String, Value> values;
  private final Set<String> asked = new LinkedHashSet<>();

  private JsonFields(String prefix, Map<String, Value> values) {
    this.prefix = prefix;
    this.values = values;
  }

  /** Reads a document that is one object; throws {@link Refused} with the place otherwise. */
  public static JsonFields read(Buffer document) {
    byte[] bytes = document.getBytes();
    requireText(bytes);
    try (JsonParser parser = FACTORY.createParser(bytes)) {
      if (parser.nextToken() == null) {
        throw Problem.malformed("the body is empty; a JSON object is expected", 1, 1).refused();
      }
      if (parser.currentToken() != JsonToken.START_OBJECT) {
        throw Problem.malformed("a JSON object is expected", 1, 1).refused();
      }
      JsonFields fields = new JsonFields("", object(parser, document, ""));
      if (parser.nextToken() != null) {
        throw malformed(parser, "there is more after the end of the object");
      }
      return fields;
    } catch (JsonEOFException e) {
      throw malformed(e, "the document ends too early");
    } catch (JacksonException e) {
      throw malformed(e, e.getOriginalMessage());
    } catch (IOException e) {
      throw new IllegalStateException("reading from memory failed", e);
    }
  }

  /** A field's value: what it holds and which bytes it is. */
  private record Value(Object content, Buffer document, int from, int to) {}

  /** Content of values that are no text, number, flag, list or object. */
  private enum Nothing {
    NULL
  }

  private record Numeral(String text) {}

  private static Map<String, Value> object(JsonParser parser, Buffer document, String prefix)
      throws IOException {
    Map<String, Value> values = new LinkedHashMap<>();
    while (parser.nextToken() == JsonToken.FIELD_NAME) {
      String name = parser.currentName();
      parser.nextToken();
      if (values.containsKey(name)) {
        throw Problem.invalid(prefix + name, "once", "'" + prefix + name + "' is given twice")
            .refused();
      }
      values.put(name, value(parser, document, prefix + name));
    }
    return values;
  }

  private static Value value(JsonParser parser, Buffer document, String name) throws IOException {
    int from = (int) parser.currentTokenLocation().getByteOffset();
    Object content = content(parser, document, name);
    parser.finishToken();
    return new Value(content, document, from, (int) parser.currentLocation().getByteOffset());
  }

  private static Object content(JsonParser parser, Buffer document, String name)
      throws IOException {
    // A message's body may be anything, fields given twice included: only its extent matters.
    if (name.equals("body")) {
      parser.skipChildren();
      return Nothing.NULL;
    }
    return switch (parser.currentToken()) {
      case START_OBJECT -> object(parser, document, name + ".");
      case START_ARRAY -> list(parser, document, name);
      case VALUE_STRING -> parser.getText();
      case VALUE_NUMBER_INT, VALUE_NUMBER_FLOAT -> new Numeral(parser.getText());
      case VALUE_TRUE -> true;
      case VALUE_FALSE -> false;
      default -> Nothing.NULL;
    };
  }

  private static List<Object> list(JsonParser parser, Buffer document, String name)
      throws IOException {
    List<Object> items = new ArrayList<>();
    while (parser.nextToken() != JsonToken.END_ARRAY) {
      items.add(content(parser, document, name + "[" + items.size() + "]"));
    }
    return items;
  }

  public boolean has(String name) {
    asked.add(name);
    return values.containsKey(name);
  }

  public Optional<String> text(String name) {
    return content(name).map(content -> text(prefix + name, content));
  }

  public String requiredText(String name) {
    return text(name).orElseThrow(() -> missing(name));
  }

  /** A whole number from {@code least} to {@code most}. */
  public Optional<Long> integer(String name, long least, long most) {
    return content(name).map(content -> integer(name, content, least, most));
  }

  private long integer(String name, Object content, long least, long most) {
    String limit = least + " to " + most;
    if (!(content instanceof Numeral number)) {
      throw wrongType(prefix + name, "a whole number, " + limit, content);
    }
    if (WHOLE.matcher(number.text()).matches()) {
      BigInteger value = new BigInteger(number.text());
      if (value.compareTo(BigInteger.valueOf(least)) >= 0
          && value.compareTo(BigInteger.valueOf(most)) <= 0) {
        return value.longValueExact();
      }
    }
    throw outside(prefix + name, limit, "a whole number, " + limit, cut(number.text()));
  }

  public Optional<Double> number(String name, double least, double most) {
    return content(name)
        .map(
            content -> {
              String limit = new BigDecimal(least) + " to " + new BigDecimal(most);
              if (!(content instanceof Numeral number)) {
                throw wrongType(prefix + name, "a number, " + limit, content);
              }
              double value = Double.parseDouble(number.text());
              if (!(value >= least && value <= most)) {
                throw outside(prefix + name, limit, limit, cut(number.text()));
              }
              return value;
            });
  }

  public Optional<Boolean> flag(String name) {
    return content(name)
        .map(
            content -> {
              if (content instanceof Boolean flag) {
                return flag;
              }
              throw wrongType(prefix + name, "true or false", content);
            });
  }

  public Optional<String> oneOf(String name, Collection<String> allowed) {
    String limit = String.join(", ", allowed);
    Optional<String> text = text(name);
    if (text.isPresent() && !allowed.contains(text.get())) {
      throw outside(prefix + name, limit, "one of " + limit, "'" + cut(text.get()) + "'");
    }
    return text;
  }

  public Optional<Duration> duration(String name, Duration least, Duration most) {
    return text(name)
        .map(
            text -> {
              String limit = Durations.format(least) + " to " + Durations.format(most);
              Duration value = checked(name, limit, () -> Durations.parse(text));
              if (value.compareTo(least) < 0 || value.compareTo(most) > 0) {
                throw outside(prefix + name, limit, limit, cut(text));
              }
              return value;
            });
  }

  /** Epoch ms from {@code 1970-01-01T00:00:00Z} to {@code latestMs}. */
  public Optional<Long> instant(String name, long latestMs) {
    return text(name).map(text -> instant(prefix + name, text, latestMs));
  }

  /** As {@link #instant(String, long)}, for text from elsewhere. */
  public static long instant(String field, String text, long latestMs) {
    String limit = "RFC 3339 with an offset, at the latest " + Instants.format(latestMs);
    long value = checkedField(field, limit, () -> Instants.parse(text));
    if (value < 0 || value > latestMs) {
      throw outside(
          field, limit, Instants.format(0) + " to " + Instants.format(latestMs), cut(text));
    }
    return value;
  }

  public Optional<JsonFields> object(String name) {
    return content(name)
        .map(
            content -> {
              if (!(content instanceof Map<?, ?>)) {
                throw wrongType(prefix + name, "an object", content);
              }
              @SuppressWarnings("unchecked") // only object() makes maps
              Map<String, Value> fields = (Map<String, Value>) content;
              return new JsonFields(prefix + name + ".", fields);
            });
  }

  /** An object whose values are all texts; empty when absent. */
  public Map<String, String> texts(String name) {
    Map<String, String> texts = new LinkedHashMap<>();
    object(name)
        .ifPresent(
            fields ->
                fields.values.forEach(
                    (key, value) ->
                        texts.put(
                            text(fields.prefix + "(name)", key),
                            text(fields.prefix + key, value.content()))));
    return texts;
  }

  /** A text, or a list of texts. */
  public List<String> textOrTexts(String name) {
    Object content = content(name).orElseThrow(() -> missing(name));
    if (!(content instanceof List<?> items)) {
      return List.of(text(prefix + name, content));
    }
    List<String> texts = new ArrayList<>(items.size());
    for (Object item : items) {
      texts.add(text(prefix + name + "[" + texts.size() + "]", item));
    }
    return texts;
  }

  /** The very bytes of a value. */
  public Optional<Buffer> bytes(String name) {
    asked.add(name);
    return Optional.ofNullable(values.get(name))
        .map(value -> value.document().getBuffer(value.from(), value.to()));
  }

  /** Names of all fields. */
  public Set<String> names() {
    return values.keySet();
  }

  /** Runs a check of {@code domain} on a field: what it throws becomes a problem that names it. */
  public <T> T checked(String name, String limit, Check<T> check) {
    return checkedField(prefix + name, limit, check);
  }

  public static <T> T checkedField(String field, String limit, Check<T> check) {
    try {
      return check.run();
    } catch (IllegalArgumentException e) {
      String message = String.valueOf(e.getMessage());
      String detail = message.startsWith(field) ? message : field + ": " + message;
      throw Problem.invalid(field, limit, detail).refused();
    }
  }

  /** Reads or checks a value; throws {@link IllegalArgumentException} saying what is wrong. */
  public interface Check<T> {
    T run();
  }

  /** Throws for any field that nobody asked for. */
  public void refuseUnknown() {
    for (String name : values.keySet()) {
      if (!asked.contains(name)) {
        String allowed = String.join(", ", asked);
        throw Problem.invalid(
                prefix + name,
                allowed,
                "unknown field '" + prefix + cut(name) + "'; known here: " + allowed)
            .refused();
      }
    }
  }

  private Optional<Object> content(String name) {
    asked.add(name);
    return Optional.ofNullable(values.get(name)).map(Value::content);
  }

  private static String text(String field, Object content) {
    if (!(content instanceof String text)) {
      throw wrongType(field, "a text", content);
    }
    if (!StandardCharsets.UTF_8.newEncoder().canEncode(text)) {
      throw Problem.invalid(
              field, "UTF-8", field + " holds a lone surrogate, which UTF-8 can't carry")
          .refused();
    }
    return text;
  }

  private Refused missing(String name) {
    return Problem.invalid(prefix + name, "required", "'" + prefix + name + "' is missing")
        .refused();
  }

  private static Refused wrongType(String field, String expected, Object content) {
    return outside(field, expected, expected, kind(content));
  }

  private static Refused outside(String field, String limit, String expected, String was) {
    return Problem.invalid(field, limit, field + " must be " + expected + ", was " + was).refused();
  }

  private static String kind(Object content) {
    if (content instanceof String) {
      return "a text";
    }
    if (content instanceof Numeral) {
      return "a number";
    }
    if (content instanceof Boolean) {
      return "true or false";
    }
    if (content instanceof List) {
      return "a list";
    }
    return content instanceof Map ? "an object" : "null (leave the field out instead)";
  }

  /** Foreign text in an error: not too much of it, on one line. */
  private static String cut(String text) {
    String start = text.length() <= 64 ? text : text.substring(0, 64) + "…";
    return start.replaceAll("\\p{Cntrl}", "?");
  }

  /** UTF-8 without byte order mark and NUL; the parser would take other encodings for JSON too. */
  private static void requireText(byte[] bytes) {
    if (bytes.length >= 3
        && bytes[0] == (byte) 0xEF
        && bytes[1] == (byte) 0xBB
        && bytes[2] == (byte) 0xBF) {
      throw Problem.malformed("a byte order mark must not stand before JSON (RFC 8259 §8.1)", 1, 1)
          .refused();
    }
    for (int i = 0; i < bytes.length; i++) {
      if (bytes[i] == 0) {
        throw at(bytes, i, "a NUL byte; write it \\u0000 in a text, and send UTF-8");
      }
    }
    int broken = firstNonUtf8(bytes);
    if (broken >= 0) {
      throw at(bytes, broken, "no UTF-8; send other bytes as bodyBase64 or in the raw form");
    }
  }

  /** Index of the first byte that is no UTF-8, or -1. */
  private static int firstNonUtf8(byte[] bytes) {
    CharsetDecoder decoder = StandardCharsets.UTF_8.newDecoder();
    ByteBuffer in = ByteBuffer.wrap(bytes);
    CharBuffer out = CharBuffer.allocate(8_192);
    while (true) {
      CoderResult result = decoder.decode(in, out, true);
      if (result.isError()) {
        return in.position();
      }
      if (result.isUnderflow()) {
        return -1;
      }
      out.clear();
    }
  }

  private static Refused at(byte[] bytes, int index, String what) {
    int line = 1;
    int lineStart = 0;
    for (int i = 0; i < index; i++) {
      if (bytes[i] == '\n') {
        line++;
        lineStart = i + 1;
      }
    }
    return Problem.malformed("byte " + index + " is " + what, line, index - lineStart + 1)
        .refused();
  }

  private static Refused malformed(JsonParser parser, String what) throws IOException {
    return Problem.malformed(
            what,
            parser.currentTokenLocation().getLineNr(),
            parser.currentTokenLocation().getColumnNr())
        .refused();
  }

  private static Refused malformed(JacksonException e, String what) {
    int line = e.getLocation() == null ? 1 : e.getLocation().getLineNr();
    int column = e.getLocation() == null ? 1 : e.getLocation().getColumnNr();
    return Problem.malformed(
            what.length() > 200 ? what.substring(0, 200) + "…" : what,
            Math.max(1, line),
            Math.max(1, column))
        .refused();
  }
}
