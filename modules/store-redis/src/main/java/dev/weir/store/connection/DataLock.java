package dev.weir.store.connection;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.jspecify.annotations.Nullable;

/**
 * One live node per data directory. The lock is the operating system's and ends with the process,
 * however that ends; a server that the process started doesn't inherit it.
 */
final class DataLock implements AutoCloseable {

  private final FileChannel channel;

  private DataLock(FileChannel channel) {
    this.channel = channel;
  }

  static DataLock take(Path data) throws IOException {
    Path file = data.resolve("weir.lock");
    FileChannel channel =
        FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
    if (lock(channel) == null) {
      channel.close();
      throw new EmbeddedRedisException(
          "another Weir node runs on the data directory "
              + data
              + "; stop it, or give this one its own with --data DIR");
    }
    return new DataLock(channel);
  }

  private static @Nullable FileLock lock(FileChannel channel) throws IOException {
    try {
      return channel.tryLock();
    } catch (OverlappingFileLockException e) {
      // Held by this very process: two nodes in one JVM.
      return null;
    }
  }

  @Override
  public void close() throws IOException {
    channel.close();
  }
}
