package dev.weir.scenarios.load;

import dev.weir.receiver.Arrival;
import dev.weir.scenarios.process.ReceiverProcess;
import java.nio.file.Path;
import java.util.List;

/** The jar's own receiver. */
final class ReceiverSink implements Sink {

  private final ReceiverProcess receiver;

  ReceiverSink(Path dir) {
    this.receiver = ReceiverProcess.start(dir, "default: {status: 200}\n");
  }

  @Override
  public String url() {
    return receiver.url("");
  }

  @Override
  public String kind() {
    return "weir receiver";
  }

  @Override
  public List<Sent> sent() {
    return receiver.readLog().all().stream()
        .filter(arrival -> arrival.sentAtNs() != Arrival.NONE)
        .map(arrival -> new Sent(arrival.path(), arrival.sentAtNs() / 1e6))
        .toList();
  }

  @Override
  public void close() {
    receiver.close();
  }
}
