package dev.weir.receiver;

import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Appends lines to a file: gathered in memory, written by a thread of its own every {@value
 * #FLUSH_MS} ms, so that no event loop waits for a disk. {@link #close()} writes what is left.
 */
final class ArrivalLog implements AutoCloseable {

  static final long FLUSH_MS = 50;

  private static final Logger LOG = LoggerFactory.getLogger(ArrivalLog.class);

  private final Path file;
  private final OutputStream out;
  private final ScheduledExecutorService writer =
      Executors.newSingleThreadScheduledExecutor(
          task -> {
            Thread thread = new Thread(task, "arrival-log");
            thread.setDaemon(true);
            return thread;
          });
  private StringBuilder pending = new StringBuilder();
  private boolean failed;

  ArrivalLog(Path file) {
    this.file = file;
    try {
      this.out = Files.newOutputStream(file, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
    } catch (IOException e) {
      throw new UncheckedIOException("can't write the arrivals log " + file + ": " + e, e);
    }
    writer.scheduleWithFixedDelay(this::flush, FLUSH_MS, FLUSH_MS, TimeUnit.MILLISECONDS);
  }

  synchronized void append(String line) {
    pending.append(line).append('\n');
  }

  private synchronized String take() {
    String lines = pending.toString();
    pending = new StringBuilder(Math.max(16, lines.length()));
    return lines;
  }

  private void flush() {
    String lines = take();
    if (lines.isEmpty() || failed) {
      return;
    }
    try {
      out.write(lines.getBytes(StandardCharsets.UTF_8));
    } catch (IOException e) {
      failed = true;
      LOG.error("the arrivals log {} can't be written any more, it ends here", file, e);
    }
  }

  @Override
  public void close() {
    writer.shutdown();
    try {
      if (!writer.awaitTermination(2, TimeUnit.SECONDS)) {
        LOG.warn("the arrivals log {} is still being written", file);
      }
      flush();
      out.close();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (IOException e) {
      LOG.error("the arrivals log {} could not be closed", file, e);
    }
  }
}
