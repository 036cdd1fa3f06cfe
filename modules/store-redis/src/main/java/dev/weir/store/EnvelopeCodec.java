package dev.weir.store;

import dev.weir.domain.message.Envelope;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.JsonObject;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Envelopes as compact JSON, absent members left out. The deadline is not in it: the stored
 * message's first line has it, where a script can read it.
 */
final class EnvelopeCodec {

  private EnvelopeCodec() {}

  static Buffer encode(Envelope envelope) {
    JsonObject json = new JsonObject();
    if (envelope.type() != null) {
      json.put("t", envelope.type());
    }
    if (envelope.contentType() != null) {
      json.put("c", envelope.contentType());
    }
    if (envelope.path() != null) {
      json.put("p", envelope.path());
    }
    if (!envelope.headers().isEmpty()) {
      json.put("h", new JsonObject(new LinkedHashMap<>(envelope.headers())));
    }
    return json.toBuffer();
  }

  static Envelope decode(Buffer json, long deliverByMs) {
    JsonObject object = new JsonObject(json);
    Map<String, String> headers = new LinkedHashMap<>();
    object
        .getJsonObject("h", new JsonObject())
        .forEach(entry -> headers.put(entry.getKey(), String.valueOf(entry.getValue())));
    return new Envelope(
        object.getString("t"), object.getString("c"), headers, object.getString("p"), deliverByMs);
  }
}
