package dev.weir.node.attempt;

import dev.weir.domain.outcome.Answer.ErrorClass;
import io.vertx.core.http.ConnectionPoolTooBusyException;
import io.vertx.core.http.HttpClosedException;
import io.vertx.core.http.StreamResetException;
import java.io.IOException;
import java.net.ConnectException;
import java.net.NoRouteToHostException;
import java.net.UnknownHostException;
import java.nio.channels.ClosedChannelException;
import java.security.GeneralSecurityException;
import java.util.concurrent.TimeoutException;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;

/**
 * Puts what the HTTP client throws into one of the bounded classes. Whatever is not known is {@link
 * ErrorClass#UNKNOWN}, which is retried like the others: permanence is the allow-list, not retry.
 */
final class Failures {

  /** A cause chain may be circular; none that matters is longer. */
  private static final int MAX_DEPTH = 10;

  private static final int MAX_DETAIL_CHARS = 200;

  private Failures() {}

  static ErrorClass classify(Throwable failure) {
    if (failure instanceof UnknownHostException || isA(failure, "io.netty.resolver.dns")) {
      return ErrorClass.DNS;
    }
    if (failure instanceof SSLException) {
      return hasCertificateCause(failure) ? ErrorClass.CERTIFICATE : ErrorClass.TLS;
    }
    if (failure instanceof ConnectionPoolTooBusyException) {
      return ErrorClass.LOCAL;
    }
    // Netty's ConnectTimeoutException is a ConnectException: nobody accepted.
    if (failure instanceof ConnectException || failure instanceof NoRouteToHostException) {
      return ErrorClass.CONNECT;
    }
    if (failure instanceof TimeoutException) {
      return ErrorClass.TIMEOUT;
    }
    if (failure instanceof HttpClosedException
        || failure instanceof StreamResetException
        || failure instanceof ClosedChannelException
        || failure instanceof IOException) {
      return ErrorClass.RESET;
    }
    // The decoder reports a line that is not HTTP as one of these.
    if (failure instanceof IllegalArgumentException
        || isA(failure, "io.netty.handler.codec.DecoderException")) {
      return ErrorClass.PROTOCOL;
    }
    return ErrorClass.UNKNOWN;
  }

  /** One line for a person, bounded. */
  static String detail(Throwable failure) {
    Throwable deepest = failure;
    for (int depth = 0; depth < MAX_DEPTH && deepest.getCause() != null; depth++) {
      deepest = deepest.getCause();
    }
    String message = deepest.getMessage();
    String text = message == null ? deepest.getClass().getSimpleName() : message;
    return text.length() <= MAX_DETAIL_CHARS ? text : text.substring(0, MAX_DETAIL_CHARS);
  }

  private static boolean hasCertificateCause(Throwable failure) {
    Throwable cause = failure;
    for (int depth = 0; depth < MAX_DEPTH && cause != null; depth++) {
      // CertificateException and CertPathBuilderException are both of this kind.
      if (cause instanceof GeneralSecurityException) {
        return true;
      }
      cause = cause.getCause();
    }
    return false;
  }

  /** By name, because Netty is Vert.x' dependency and not ours. */
  private static boolean isA(Throwable failure, String typeOrPackage) {
    for (@Nullable Class<?> type = failure.getClass(); type != null; type = type.getSuperclass()) {
      if (type.getName().startsWith(typeOrPackage)) {
        return true;
      }
    }
    return false;
  }
}
