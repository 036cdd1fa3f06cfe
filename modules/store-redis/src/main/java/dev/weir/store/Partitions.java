package dev.weir.store;

import dev.weir.domain.message.Escaping;
import io.vertx.core.Future;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntFunction;

/**
 * Which partition a quota, or any other id, belongs to: CRC-16/XMODEM of the escaped id modulo the
 * number of partitions, as stable as the stored data must be.
 */
record Partitions(int count) {

  Partitions {
    if (count < 1 || count > 16_384) {
      throw new IllegalArgumentException("partitions must be 1 to 16384, was " + count);
    }
  }

  int of(String id) {
    return ofEscaped(Escaping.escape(id));
  }

  /** Asks every partition, all at once; the answers in their order. */
  <T> Future<List<T>> each(IntFunction<Future<T>> ask) {
    List<Future<T>> asked = new ArrayList<>(count);
    for (int partition = 0; partition < count; partition++) {
      asked.add(ask.apply(partition));
    }
    return Future.all(asked).map(all -> all.<T>list());
  }

  int ofEscaped(String escaped) {
    int crc = 0;
    for (byte b : escaped.getBytes(StandardCharsets.US_ASCII)) {
      crc ^= (b & 0xFF) << 8;
      for (int bit = 0; bit < 8; bit++) {
        crc = (crc & 0x8000) != 0 ? crc << 1 ^ 0x1021 : crc << 1;
      }
      crc &= 0xFFFF;
    }
    return crc % count;
  }
}
