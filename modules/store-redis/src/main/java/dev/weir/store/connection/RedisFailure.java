package dev.weir.store.connection;

import dev.weir.protocol.store.StoreException;
import dev.weir.protocol.store.StoreException.Kind;
import io.vertx.redis.client.impl.types.ErrorType;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What a failed command means to its caller and to its connection.
 *
 * @param drop whether the connection is of no more use: it is gone, or its server is not the one to
 *     talk to and a new connection may find a better one
 */
record RedisFailure(Kind kind, boolean drop, String detail) {

  /** The server can't serve writes, and after a fail-over another one can. */
  private static final Set<String> WRONG_SERVER =
      Set.of("READONLY", "LOADING", "MASTERDOWN", "CLUSTERDOWN");

  /**
   * The right server, but not now: disk full (MISCONF), a slow script (BUSY), a slot that moves,
   * too few replicas. Redis ran nothing, and the connection is good.
   */
  private static final Set<String> NOT_NOW = Set.of("MISCONF", "BUSY", "TRYAGAIN", "NOREPLICAS");

  /** The client's own marker for commands that were in flight when the socket closed. */
  private static final String CLOSED = "CONNECTION_CLOSED";

  /**
   * Before Redis 7 an error inside of a script came wrapped: {@code ERR Error running … -OOM …}.
   */
  private static final Pattern WRAPPED =
      Pattern.compile("^ERR Error running script.*?: -([A-Z]+) ", Pattern.DOTALL);

  /** The client's refusal of a command with too few or too many arguments; nothing was sent. */
  private static final String INVALID = "Command is not valid";

  static RedisFailure of(Throwable failure) {
    if (String.valueOf(failure.getMessage()).startsWith(INVALID)) {
      return new RedisFailure(Kind.BROKEN, false, "wrong number of arguments");
    }
    if (!(failure instanceof ErrorType)) {
      return new RedisFailure(Kind.UNAVAILABLE, true, "connection failed: " + sentence(failure));
    }
    String text = String.valueOf(failure.getMessage());
    String code = code(text);
    if (CLOSED.equals(code)) {
      return new RedisFailure(Kind.UNAVAILABLE, true, "connection closed before the reply");
    }
    if (WRONG_SERVER.contains(code)) {
      return new RedisFailure(Kind.UNAVAILABLE, true, text);
    }
    if (NOT_NOW.contains(code)) {
      return new RedisFailure(Kind.UNAVAILABLE, false, text);
    }
    return switch (code) {
      case "OOM" -> new RedisFailure(Kind.FULL, false, text);
      case "FENCED" -> new RedisFailure(Kind.FENCED, false, text);
      default -> new RedisFailure(Kind.BROKEN, false, text);
    };
  }

  static boolean isNoScript(Throwable failure) {
    return failure instanceof ErrorType error && error.is("NOSCRIPT");
  }

  /** Whether it is the server that is of no use, and not just the connection to it. */
  boolean wrongServer() {
    return WRONG_SERVER.contains(code(detail));
  }

  StoreException exception(String operation, Throwable cause) {
    return new StoreException(kind, operation, detail, cause);
  }

  /** The innermost message: what went wrong, without the layers that passed it on. */
  static String sentence(Throwable failure) {
    Throwable innermost = failure;
    for (Throwable t = failure; t != null; t = t.getCause()) {
      innermost = t.getMessage() == null ? innermost : t;
    }
    String message = innermost.getMessage();
    return message == null ? innermost.getClass().getSimpleName() : message;
  }

  private static String code(String text) {
    Matcher wrapped = WRAPPED.matcher(text);
    if (wrapped.find()) {
      return wrapped.group(1);
    }
    int space = text.indexOf(' ');
    return space < 0 ? text : text.substring(0, space);
  }
}
