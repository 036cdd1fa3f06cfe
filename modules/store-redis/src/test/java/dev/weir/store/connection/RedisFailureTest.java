package dev.weir.store.connection;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.protocol.store.StoreException.Kind;
import io.vertx.redis.client.impl.types.ErrorType;
import java.net.ConnectException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RedisFailureTest {

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          CONNECTION_CLOSED                                   | UNAVAILABLE | true
          READONLY You can't write against a read only replica | UNAVAILABLE | true
          LOADING Redis is loading the dataset in memory      | UNAVAILABLE | true
          MASTERDOWN Link with MASTER is down                 | UNAVAILABLE | true
          CLUSTERDOWN The cluster is down                     | UNAVAILABLE | true
          MISCONF Errors writing to the AOF file              | UNAVAILABLE | false
          BUSY Redis is busy running a script                 | UNAVAILABLE | false
          OOM command not allowed when used memory > 'maxmemory' | FULL     | false
          FENCED 8                                            | FENCED      | false
          FENCEDX 8                                           | BROKEN      | false
          WRONGTYPE Operation against a key                   | BROKEN      | false
          ERR unknown command                                 | BROKEN      | false
          ERR Error running script (call to f_ab): @user_script:1: @user_script: 1: -OOM command not allowed | FULL | false
          ERR Error running script (call to f_ab): @user_script:1: -READONLY You can't write | UNAVAILABLE | true
          """)
  void errorRepliesMeanWhatTheCallerDoesNext(String reply, Kind kind, boolean drop) {
    RedisFailure failure = RedisFailure.of(ErrorType.create(reply));
    assertThat(failure.kind()).isEqualTo(kind);
    assertThat(failure.drop()).isEqualTo(drop);
  }

  @Test
  void failureOfTheConnectionTellsItsInnermostReason() {
    RedisFailure failure =
        RedisFailure.of(new IllegalStateException("outer", new ConnectException("refused")));
    assertThat(failure.kind()).isEqualTo(Kind.UNAVAILABLE);
    assertThat(failure.detail()).isEqualTo("connection failed: refused");
  }
}
