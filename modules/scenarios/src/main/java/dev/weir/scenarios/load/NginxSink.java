package dev.weir.scenarios.load;

import dev.weir.scenarios.process.FreePort;
import dev.weir.scenarios.process.ScenarioException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** One worker of nginx that answers 204 to everything. */
final class NginxSink implements Sink {

  private static final int READY_WITHIN_MS = 5_000;
  private static final int POLL_MS = 20;

  private final int port = FreePort.next();
  private final Path log;
  private final Process process;

  NginxSink(Path program, Path dir, boolean logs) {
    this.log = dir.resolve("sink.log");
    Path config = dir.resolve("nginx.conf");
    try {
      Files.writeString(config, config(dir, logs));
      process =
          new ProcessBuilder(program.toString(), "-c", config.toString(), "-e", dir + "/sink.err")
              .redirectErrorStream(true)
              .redirectOutput(dir.resolve("nginx.out").toFile())
              .start();
    } catch (IOException e) {
      throw new ScenarioException("can't start nginx: " + e.getMessage(), e);
    }
    Runtime.getRuntime().addShutdownHook(new Thread(process::destroy, "nginx"));
    awaitReady();
  }

  private String config(Path dir, boolean logs) {
    String access =
        logs ? "access_log " + log + " stamps buffer=32k flush=200ms" : "access_log off";
    return """
        daemon off;
        master_process off;
        pid %1$s/nginx.pid;
        events { worker_connections 8192; }
        http {
          log_format stamps '$uri $http_weir_sent_at';
          %2$s;
          client_body_temp_path %1$s/nginx-body;
          keepalive_requests 100000000;
          keepalive_timeout 300s;
          server {
            listen 127.0.0.1:%3$d backlog=4096;
            location / { return 204; }
          }
        }
        """
        .formatted(dir, access, port);
  }

  private void awaitReady() {
    for (int waited = 0; waited < READY_WITHIN_MS && process.isAlive(); waited += POLL_MS) {
      try {
        new Socket(InetAddress.getLoopbackAddress(), port).close();
        return;
      } catch (IOException notYet) {
        LoadRuns.pause(POLL_MS);
      }
    }
    throw new ScenarioException("nginx does not listen on port " + port);
  }

  @Override
  public String url() {
    return "http://127.0.0.1:" + port;
  }

  @Override
  public String kind() {
    return "nginx";
  }

  @Override
  public List<Sent> sent() {
    List<Sent> all = new ArrayList<>();
    try {
      for (String line : Files.readAllLines(log)) {
        String[] words = line.split(" ", -1);
        if (words.length == 2 && !words[1].equals("-")) {
          all.add(new Sent(words[0], Long.parseLong(words[1]) / 1e6));
        }
      }
    } catch (IOException e) {
      throw new ScenarioException("can't read " + log, e);
    }
    return all;
  }

  @Override
  public void close() {
    process.destroy();
    process.onExit().join();
  }
}
