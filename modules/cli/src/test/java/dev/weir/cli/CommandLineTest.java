package dev.weir.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;
import picocli.CommandLine.Help.Ansi;

class CommandLineTest {

  private final StubNode node;
  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  CommandLineTest() throws IOException {
    node = new StubNode();
  }

  @BeforeEach
  void clear() {
    out.getBuffer().setLength(0);
    err.getBuffer().setLength(0);
  }

  @AfterEach
  void stop() {
    node.close();
  }

  @Test
  void publishPutsAJsonBodyIntoTheRequestAsItStands() {
    node.reply(202, accepted());

    int exit =
        run(
            "publish",
            "--to",
            "store_17",
            "--id",
            "shp_2048",
            "--version",
            "3",
            "--type",
            "t",
            "--body",
            "{\"n\": 9007199254740993}",
            "--header",
            "X-Shop: 17",
            "--path",
            "/orders/7",
            "--delay",
            "10min",
            "--idempotency-key",
            "k1");

    StubNode.Asked asked = node.asked().get(0);
    assertThat(exit).isZero();
    assertThat(asked.line()).isEqualTo("POST /v1/queue/publish");
    assertThat(asked.headers()).containsEntry("Idempotency-Key", "k1");
    assertThat(asked.body()).endsWith(",\"body\":{\"n\": 9007199254740993}}");
    assertThat(new JsonObject(asked.body()).getMap())
        .containsEntry("to", "store_17")
        .containsEntry("version", 3)
        .containsEntry("delaySeconds", 600)
        .containsEntry("path", "/orders/7")
        .containsEntry("headers", Map.of("X-Shop", "17"));
    assertThat(out.toString()).contains("shp_2048 version 3").contains("shp_2048:store_17:3");
  }

  @Test
  void publishSendsWhatIsNotJsonInBase64(@TempDir Path dir) throws IOException {
    byte[] bytes = {(byte) 0xff, 0, 13, 10};
    Path file = Files.write(dir.resolve("a body"), bytes);
    node.reply(202, accepted());

    int exit = run("publish", "--to", "a", "--to", "b", "--body-file", file.toString());

    JsonObject request = new JsonObject(node.asked().get(0).body());
    assertThat(exit).isZero();
    assertThat(request.getJsonArray("to").encode()).isEqualTo("[\"a\",\"b\"]");
    assertThat(Base64.getDecoder().decode(request.getString("bodyBase64"))).isEqualTo(bytes);
    assertThat(request.containsKey("contentType")).isFalse();
  }

  @Test
  void publishKeepsTheNewlineBehindJson(@TempDir Path dir) throws IOException {
    Path file = Files.writeString(dir.resolve("body.json"), "{\"a\":1}\n");
    node.reply(202, accepted());

    run("publish", "--to", "a", "--body-file", file.toString());

    JsonObject request = new JsonObject(node.asked().get(0).body());
    assertThat(
            new String(
                Base64.getDecoder().decode(request.getString("bodyBase64")),
                StandardCharsets.UTF_8))
        .isEqualTo("{\"a\":1}\n");
    assertThat(request.getString("contentType")).isEqualTo("application/json");
  }

  @Test
  void idsOfAnyCharactersAreOnePathSegment() {
    node.reply(200, "{\"deliveries\":[]}");

    run("deliveries", "a/b ?ü", "--version", "3");

    assertThat(node.asked().get(0).line())
        .isEqualTo("GET /v1/messages/a%2Fb%20%3F%C3%BC?version=3");
  }

  @ParameterizedTest
  @CsvSource({"400,1", "404,1", "409,1", "422,1", "500,4", "503,4"})
  void statusDecidesTheExitCode(int status, int exit) {
    node.reply(
        status, "{\"title\":\"No\",\"detail\":\"because\",\"field\":\"to\",\"limit\":\"100\"}");

    assertThat(run("resume", "store_17")).isEqualTo(exit);
    assertThat(out.toString()).isEmpty();
    assertThat(err.toString())
        .contains("POST " + node.url() + "/v1/subscribers/store_17/resume")
        .contains("because [field: to] [limit: 100]");
  }

  @Test
  void anUnavailableNodeSaysWhenToTryAgain() {
    node.reply(503, Map.of("Retry-After", "2"), "{\"detail\":\"the store is away\"}");

    assertThat(run("pause", "store_17")).isEqualTo(ExitCodes.SERVER_ERROR);
    assertThat(err.toString()).contains("the store is away Try again in 2 s.");
  }

  @Test
  void aRefusalIsShownAsJsonToo() {
    node.reply(404, "{\"title\":\"Not Found\",\"status\":404}");

    assertThat(run("subscribers", "get", "nobody", "--json")).isEqualTo(ExitCodes.REFUSED);
    assertThat(new JsonObject(out.toString()).getInteger("status")).isEqualTo(404);
  }

  @Test
  void nobodyListeningIsAnExitCodeOfItsOwn() throws IOException {
    int port;
    try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      port = free.getLocalPort();
    }
    int exit = execute("balance", "--url", "http://127.0.0.1:" + port);

    assertThat(exit).isEqualTo(ExitCodes.UNREACHABLE);
    assertThat(err.toString()).contains("http://127.0.0.1:" + port).contains("weir server");
  }

  @Test
  void somethingElseListeningIsNoNode() {
    node.reply(200, "<html>");

    assertThat(run("balance")).isEqualTo(ExitCodes.UNREACHABLE);
    assertThat(err.toString()).contains("Is it a Weir node");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      value = {
        "publish --to a;give the body once",
        "publish --to a --body x --body-file y;give the body once",
        "publish --to a --body x --delay soon;whole number with a unit",
        "publish --to a --body x --delay 1s --deliver-at 2026-01-01T00:00:00Z;exclude each other",
        "publish --body x;--to",
        "subscribers --limit 0;--limit",
        "subscribers sprout;sprout",
        "eval --case nonsense;there is no case",
        "demo --messages 0;1 to",
        "subscribers put a;--endpoint",
        "redrive;--subscriber",
        "redrive a;--subscriber",
        "publis --to a;publish",
        "balance --url nowhere;http://HOST:PORT",
        "dead-letters list --limit 0;--limit"
      })
  void wrongUsageIsExplainedInShort(String arguments, String said) {
    assertThat(execute(arguments.split(" "))).isEqualTo(ExitCodes.USAGE);
    assertThat(err.toString()).contains(said).contains("--help");
    assertThat(err.toString().lines().count()).isLessThanOrEqualTo(4);
    assertThat(node.asked()).isEmpty();
  }

  @Test
  void aBalanceThatDoesNotHoldFailsAndNamesTheProblem() {
    node.reply(
        200,
        "{\"holds\":false,\"accepted\":3,\"delivered\":1,\"problemCount\":1,"
            + "\"problems\":[\"shp_1:store_17 is nowhere\"]}");

    assertThat(run("balance")).isEqualTo(ExitCodes.REFUSED);
    assertThat(out.toString()).contains("does NOT hold").contains("shp_1:store_17 is nowhere");
  }

  @Test
  void aBalanceThatHoldsIsShownAsItCame() {
    String balance = "{\"holds\":true,  \"accepted\":3}";
    node.reply(200, balance);

    assertThat(run("balance", "--json")).isZero();
    assertThat(out.toString().strip()).isEqualTo(balance);
  }

  @Test
  void listsFollowTheirPagesUpToTheLimit() {
    node.reply(200, "{\"items\":[{\"message\":\"m1\"},{\"message\":\"m2\"}],\"next\":\"c 1\"}")
        .reply(200, "{\"items\":[{\"message\":\"m3\"}],\"next\":\"c2\"}");

    int exit = run("dead-letters", "list", "--subscriber", "store 17", "--limit", "3");

    assertThat(exit).isZero();
    assertThat(node.asked().get(0).target())
        .isEqualTo("/v1/dead-letters?subscriber=store%2017&limit=3");
    assertThat(node.asked().get(1).target())
        .isEqualTo("/v1/dead-letters?subscriber=store%2017&limit=1&after=c%201");
    assertThat(out.toString()).contains("m1", "m2", "m3");
    assertThat(err.toString()).contains("The first 3 are shown");
  }

  @ParameterizedTest
  @CsvSource({
    "subscribers,/v1/subscribers?limit=100",
    "quotas,/v1/quotas?limit=100",
    "dead-letters,/v1/dead-letters?limit=100",
    "reconciliation,/v1/reconciliation?limit=100"
  })
  void aListNeedsNoCommandOfItsOwn(String command, String target) {
    node.reply(200, "{\"items\":[],\"next\":null}");

    assertThat(run(command)).isZero();
    assertThat(node.asked().get(0).target()).isEqualTo(target);
  }

  @Test
  void listsAsJsonAreOnePage() {
    node.reply(200, "{\"items\":[{\"id\":\"a\"}],\"next\":\"a\"}")
        .reply(200, "{\"items\":[{\"id\":\"b\"}],\"next\":null}");

    assertThat(run("subscribers", "list", "--json")).isZero();
    assertThat(out.toString().strip())
        .isEqualTo("{\"items\":[{\"id\":\"a\"},{\"id\":\"b\"}],\"next\":null}");
  }

  @Test
  void aTraceIsATableThatLinesUp() {
    node.reply(
        200,
        """
        {"message":"shp_2048","version":3,"subscriber":"store_17","key":"shp_2048:store_17:3",
         "state":"done","since":"2026-12-01T01:02:20.500Z","nextAttemptAt":null,"redrives":0,
         "omittedAttempts":0,"attempts":[
          {"attempt":1,"node":"n1","eligibleAt":"2026-12-01T01:02:03.000Z",
           "claimedAt":"2026-12-01T01:02:03.004Z","limiter":{"waitedMs":2,"gate":"open"},
           "sentAt":"2026-12-01T01:02:03.006Z","status":429,"latencyMs":3,"retryAfter":"17",
           "excerpt":"slow \\u001b[31mdown","outcome":"retry","delayMs":17211,"why":"Retry-After 17",
           "settledAt":"2026-12-01T01:02:03.011Z"},
          {"attempt":2,"node":"n1","eligibleAt":"2026-12-01T01:02:20.222Z",
           "claimedAt":"2026-12-01T01:02:20.223Z","limiter":{"waitedMs":0,"gate":"probe"},
           "sentAt":"2026-12-01T01:02:20.224Z","error":"timeout","latencyMs":15000,
           "outcome":"delivered","settledAt":"2026-12-01T01:02:20.500Z"}]}
        """);

    assertThat(run("deliveries", "shp_2048", "store_17", "--version", "3")).isZero();

    List<String> lines = out.toString().lines().toList();
    String heading =
        lines.stream().filter(line -> line.contains("ELIGIBLE")).findFirst().orElseThrow();
    String first = lines.get(lines.indexOf(heading) + 1);
    String second = lines.get(lines.indexOf(heading) + 2);
    assertThat(first.indexOf("429")).isEqualTo(heading.indexOf("ANSWER"));
    assertThat(second.indexOf("timeout")).isEqualTo(heading.indexOf("ANSWER"));
    assertThat(first).contains("2026-12-01 01:02:03.000Z", "+4ms", "+6ms", "17s", "+11ms");
    assertThat(out.toString())
        .contains("#1 why: Retry-After 17")
        .contains("#1 excerpt: slow \\u001b[31mdown")
        .doesNotContain("\u001b");
  }

  @Test
  void putSaysTheWholeSubscriber() {
    node.reply(201, "{\"id\":\"store_17\",\"rate\":\"5/s\",\"counts\":{\"ready\":0}}");

    int exit =
        run(
            "subscribers",
            "put",
            "store_17",
            "--endpoint",
            "http://127.0.0.1:9/x",
            "--rate",
            "5/s",
            "--status",
            "401=pause",
            "--retry-base",
            "2s",
            "--max-failures",
            "4");

    assertThat(exit).isZero();
    assertThat(node.asked().get(0).body())
        .isEqualTo(
            "{\"endpoint\":\"http://127.0.0.1:9/x\",\"rate\":\"5/s\","
                + "\"retry\":{\"base\":\"2s\",\"maxFailures\":4},\"statusPolicy\":{\"401\":\"pause\"}}");
    assertThat(out.toString()).contains("Created store_17").contains("counts.ready");
  }

  @Test
  void deletesHaveNoContentButAnswerWithJson() {
    node.reply(204, "");

    assertThat(run("subscribers", "delete", "store_17", "--json")).isZero();
    assertThat(out.toString().strip()).isEqualTo("{\"status\":204}");
  }

  @Test
  void everyCommandHasExamplesAndHelp() {
    assertHelp(commandLine(), "weir");
  }

  @Test
  void anUnreadyNodeSaysWhy() {
    node.reply(503, "{\"status\":\"unready\",\"reason\":\"Redis is loading\"}");

    assertThat(run("health")).isEqualTo(ExitCodes.SERVER_ERROR);
    assertThat(err.toString()).contains("Redis is loading");
  }

  @Test
  void completionKnowsTheCommands() {
    int exit = execute("completion");

    assertThat(exit).as(err.toString()).isZero();
    assertThat(out.toString()).contains("complete").contains("dead-letters");
  }

  private void assertHelp(CommandLine line, String name) {
    assertThat(line.getCommandSpec().usageMessage().footer())
        .as("examples of %s", name)
        .isNotEmpty();
    assertThat(line.getCommandSpec().findOption("--help")).as("--help of %s", name).isNotNull();
    line.getSubcommands().forEach((sub, its) -> assertHelp(its, name + " " + sub));
  }

  private static String accepted() {
    return "{\"id\":\"shp_2048\",\"version\":3,\"deliveries\":[{\"subscriber\":\"store_17\","
        + "\"key\":\"shp_2048:store_17:3\",\"href\":\"/v1/deliveries/shp_2048/store_17?version=3\"}]}";
  }

  private int run(String... arguments) {
    String[] all = java.util.Arrays.copyOf(arguments, arguments.length + 2);
    all[arguments.length] = "--url";
    all[arguments.length + 1] = node.url();
    return execute(all);
  }

  private int execute(String... arguments) {
    return commandLine().execute(arguments);
  }

  private CommandLine commandLine() {
    return WeirCommand.create(List.of())
        .setOut(new PrintWriter(out, true))
        .setErr(new PrintWriter(err, true))
        .setColorScheme(CommandLine.Help.defaultColorScheme(Ansi.OFF));
  }
}
