package dev.weir.api.http;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import dev.weir.domain.time.Instants;
import io.vertx.core.buffer.Buffer;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Collection;
import java.util.Map;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Writes one JSON object, field by field in the order of the calls. */
public final class JsonWriter {

  /** The latest instant that RFC 3339 can write. */
  private static final long LAST_INSTANT_MS = 253_402_300_799_999L;

  private static final JsonFactory FACTORY = new JsonFactory();

  private final JsonGenerator out;

  private JsonWriter(JsonGenerator out) {
    this.out = out;
  }

  public static Buffer object(Consumer<JsonWriter> fields) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream(512);
    attempt(
        () -> {
          try (JsonGenerator generator = FACTORY.createGenerator(bytes)) {
            generator.writeStartObject();
            fields.accept(new JsonWriter(generator));
            generator.writeEndObject();
          }
        });
    return Buffer.buffer(bytes.toByteArray());
  }

  public JsonWriter text(String name, @Nullable String value) {
    return write(
        () -> {
          if (value == null) {
            out.writeNullField(name);
          } else {
            out.writeStringField(name, wellFormed(value));
          }
        });
  }

  public JsonWriter number(String name, long value) {
    return write(() -> out.writeNumberField(name, value));
  }

  public JsonWriter real(String name, double value) {
    return write(() -> out.writeNumberField(name, value));
  }

  public JsonWriter flag(String name, boolean value) {
    return write(() -> out.writeBooleanField(name, value));
  }

  public JsonWriter nothing(String name) {
    return write(() -> out.writeNullField(name));
  }

  public JsonWriter instant(String name, long epochMs) {
    return text(name, Instants.format(Math.max(0, Math.min(epochMs, LAST_INSTANT_MS))));
  }

  /** As {@link #instant}; a negative one is null. */
  public JsonWriter maybeInstant(String name, long epochMs) {
    return epochMs < 0 ? nothing(name) : instant(name, epochMs);
  }

  public JsonWriter child(String name, Consumer<JsonWriter> fields) {
    return write(
        () -> {
          out.writeObjectFieldStart(name);
          fields.accept(this);
          out.writeEndObject();
        });
  }

  public JsonWriter texts(String name, Map<String, String> values) {
    return child(name, json -> values.forEach(json::text));
  }

  public JsonWriter texts(String name, Collection<String> values) {
    return write(
        () -> {
          out.writeArrayFieldStart(name);
          for (String value : values) {
            out.writeString(wellFormed(value));
          }
          out.writeEndArray();
        });
  }

  public <T> JsonWriter objects(
      String name, Collection<T> values, BiConsumer<JsonWriter, T> fields) {
    return write(
        () -> {
          out.writeArrayFieldStart(name);
          for (T value : values) {
            out.writeStartObject();
            fields.accept(this, value);
            out.writeEndObject();
          }
          out.writeEndArray();
        });
  }

  /** A list of values that are JSON already, as they are. */
  public JsonWriter ready(String name, Collection<String> values) {
    return write(
        () -> {
          out.writeArrayFieldStart(name);
          for (String value : values) {
            out.writeRawValue(value);
          }
          out.writeEndArray();
        });
  }

  /** Foreign text may hold lone surrogates, which no UTF-8 can carry. */
  static String wellFormed(String text) {
    StringBuilder out = new StringBuilder(text.length());
    text.codePoints()
        .map(c -> c >= Character.MIN_SURROGATE && c <= Character.MAX_SURROGATE ? 0xFFFD : c)
        .forEach(out::appendCodePoint);
    return out.toString();
  }

  private JsonWriter write(Step step) {
    attempt(step);
    return this;
  }

  /** Memory does not fail to take bytes. */
  private static void attempt(Step step) {
    try {
      step.run();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private interface Step {
    void run() throws IOException;
  }
}
