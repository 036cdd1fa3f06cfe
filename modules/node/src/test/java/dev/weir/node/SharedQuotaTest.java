package dev.weir.node;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.domain.quota.Quota;
import dev.weir.domain.quota.Rate;
import dev.weir.node.Endpoint.Arrival;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SharedQuotaTest {

  private final RunningNode running = RunningNode.start();
  private final Endpoint endpoint = Endpoint.answering(running.vertx, 200);

  @AfterEach
  void close() {
    running.close();
  }

  @ParameterizedTest
  @CsvSource({"4/s,2,8", "50/s,3,100", "400/s,60,800"})
  void twoSubscribersTogetherKeepTheQuotaThatTheyShare(String rate, int burst, int each)
      throws Exception {
    share("vendor", rate, burst);

    running.publishMany("a", each);
    running.publishMany("b", each);

    List<Arrival> arrivals = endpoint.await(2 * each, 20_000);
    assertThat(Envelopes.excess(arrivals, Rate.parse(rate), burst)).isLessThanOrEqualTo(0);
    List<Arrival> steady = arrivals.subList(arrivals.size() / 4, arrivals.size());
    double allowed = (steady.size() - 1) / Rate.parse(rate).perSecond();
    assertThat(Envelopes.seconds(steady)).isLessThan(allowed * 1.1 + 0.05);
    long ofA = arrivals.subList(0, each).stream().filter(one -> one.key().endsWith(":a")).count();
    assertThat(ofA).isBetween((long) (each * 0.3), (long) (each * 0.7));
  }

  @Test
  void whoHasNothingToSendLeavesTheWholeQuotaToTheOther() throws Exception {
    share("vendor", "100/s", 4);
    running.publish("b", "only one");
    endpoint.await(1, 5_000);

    running.publishMany("a", 200);

    List<Arrival> arrivals = endpoint.await(201, 20_000);
    assertThat(Envelopes.seconds(arrivals.subList(101, 201))).isLessThan(1.1);
    assertThat(Envelopes.excess(arrivals, Rate.parse("100/s"), 4)).isLessThanOrEqualTo(0);
  }

  @Test
  void aChangeOfTheSharedRateIsInForceWithinTwoSeconds() throws Exception {
    share("vendor", "1/s", 1);
    running.publishMany("a", 50);
    running.publishMany("b", 50);
    endpoint.await(1, 5_000);

    running.store.config().putQuota(new Quota("vendor", Rate.parse("100/s"), 4)).await();
    running.node.wakes().changed("a");
    running.node.wakes().changed("b");

    endpoint.await(100, 4_000);
  }

  private void share(String quota, String rate, int burst) {
    running.store.config().putQuota(new Quota(quota, Rate.parse(rate), burst)).await();
    for (String id : List.of("a", "b")) {
      running
          .store
          .config()
          .putSubscriber(
              RunningNode.sharing(RunningNode.subscriber(id, endpoint.uri()), quota), null)
          .await();
    }
  }
}
