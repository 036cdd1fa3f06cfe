package dev.weir.scenarios.load;

import dev.weir.scenarios.process.ScenarioException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** Takes connections and never answers on them. */
final class HangingServer implements AutoCloseable {

  private static final int BACKLOG = 1_024;

  private final ServerSocket listener;
  private final List<Socket> taken = Collections.synchronizedList(new ArrayList<>());

  HangingServer() {
    try {
      listener = new ServerSocket(0, BACKLOG, InetAddress.getLoopbackAddress());
    } catch (IOException e) {
      throw new ScenarioException("can't listen: " + e.getMessage(), e);
    }
    Thread thread = new Thread(this::take, "hanging-server");
    thread.setDaemon(true);
    thread.start();
  }

  private void take() {
    try {
      while (true) {
        taken.add(listener.accept());
      }
    } catch (IOException closed) {
      // Its end.
    }
  }

  String url() {
    return "http://127.0.0.1:" + listener.getLocalPort();
  }

  @Override
  public void close() {
    try {
      listener.close();
      for (Socket socket : List.copyOf(taken)) {
        socket.close();
      }
    } catch (IOException e) {
      throw new ScenarioException("can't close: " + e.getMessage(), e);
    }
  }
}
