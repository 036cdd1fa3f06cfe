package dev.weir.scenarios.process;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;

/** Asks the system for a port that is free now. */
public final class FreePort {

  private FreePort() {}

  public static int next() {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    } catch (IOException e) {
      throw new ScenarioException("no free port on 127.0.0.1: " + e.getMessage(), e);
    }
  }
}
