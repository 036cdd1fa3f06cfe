package dev.weir.scenarios.load;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** Takes every delivery with a 2xx at once, and remembers those that are stamped. */
interface Sink extends AutoCloseable {

  String url();

  String kind();

  /** What arrived with a sent-at stamp, up to about now. */
  List<Sent> sent();

  @Override
  void close();

  /**
   * @param sentAtMs epoch, by the sender's stamp
   */
  record Sent(String path, double sentAtMs) {}

  /** nginx where it is installed: it costs a small part of what it measures. Else the receiver. */
  static Sink start(Path dir, boolean logs) {
    for (String place : List.of("/usr/sbin/nginx", "/usr/local/sbin/nginx", "/usr/bin/nginx")) {
      if (Files.isExecutable(Path.of(place))) {
        return new NginxSink(Path.of(place), dir, logs);
      }
    }
    return new ReceiverSink(dir);
  }
}
