package dev.weir.node.attempt;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.domain.outcome.Answer.ErrorClass;
import io.vertx.core.http.ConnectionPoolTooBusyException;
import io.vertx.core.http.HttpClosedException;
import io.vertx.core.http.StreamResetException;
import java.io.IOException;
import java.net.ConnectException;
import java.net.NoRouteToHostException;
import java.net.UnknownHostException;
import java.nio.channels.ClosedChannelException;
import java.security.cert.CertificateExpiredException;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLHandshakeException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class FailuresTest {

  static Stream<Arguments> failures() {
    SSLHandshakeException expired = new SSLHandshakeException("Failed to create SSL connection");
    expired.initCause(
        new SSLHandshakeException("PKIX").initCause(new CertificateExpiredException()));
    return Stream.of(
        Arguments.of(new UnknownHostException("x"), ErrorClass.DNS),
        Arguments.of(new ConnectException("refused"), ErrorClass.CONNECT),
        Arguments.of(new NoRouteToHostException("no route"), ErrorClass.CONNECT),
        Arguments.of(expired, ErrorClass.CERTIFICATE),
        Arguments.of(new SSLHandshakeException("not an SSL record"), ErrorClass.TLS),
        Arguments.of(new SSLException("closed"), ErrorClass.TLS),
        Arguments.of(new TimeoutException("late"), ErrorClass.TIMEOUT),
        Arguments.of(new HttpClosedException("closed"), ErrorClass.RESET),
        Arguments.of(new StreamResetException(0), ErrorClass.RESET),
        Arguments.of(new ClosedChannelException(), ErrorClass.RESET),
        Arguments.of(new IOException("Connection reset by peer"), ErrorClass.RESET),
        Arguments.of(new IllegalArgumentException("invalid version"), ErrorClass.PROTOCOL),
        Arguments.of(new ConnectionPoolTooBusyException("full"), ErrorClass.LOCAL),
        Arguments.of(new IllegalStateException("?"), ErrorClass.UNKNOWN));
  }

  @ParameterizedTest
  @MethodSource("failures")
  void everyFailureHasAClass(Throwable failure, ErrorClass expected) {
    assertThat(Failures.classify(failure)).isEqualTo(expected);
  }

  @Test
  void theDetailIsTheDeepestCauseAndBounded() {
    Throwable failure = new IOException("outer", new IOException("x".repeat(1_000)));
    assertThat(Failures.detail(failure)).hasSize(200).startsWith("xxx");
    assertThat(Failures.detail(new ClosedChannelException())).isEqualTo("ClosedChannelException");
  }
}
