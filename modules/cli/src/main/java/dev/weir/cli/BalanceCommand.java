package dev.weir.cli;

import static dev.weir.cli.output.Text.field;

import dev.weir.cli.api.Answer;
import dev.weir.cli.api.ApiPath;
import dev.weir.cli.output.Table;
import dev.weir.cli.output.Text;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** Asks for the proof that nothing is lost. */
@Command(
    name = "balance",
    description = {
      "Recount the store: accepted = delivered + cancelled + purged + dead + reconciling + pending.",
      "Exits with 1 when it does not hold, and names what is unaccounted for."
    },
    footerHeading = "%nExamples:%n",
    footer = {"  weir balance", "  weir balance --json | jq .problems"})
final class BalanceCommand implements Callable<Integer> {

  /** It walks the whole store with cursors; millions of deliveries take minutes. */
  private static final Duration TIMEOUT = Duration.ofMinutes(30);

  @Mixin private NodeOptions options = new NodeOptions();

  @Override
  public Integer call() {
    Answer answer = options.node().get(ApiPath.of("/v1/balance"), TIMEOUT);
    options.show(answer, this::words);
    return answer.json().getBoolean("holds", false) ? ExitCodes.OK : ExitCodes.REFUSED;
  }

  private String words(JsonObject balance) {
    Table table = new Table("SIDE", ">COUNT");
    table.row("accepted", field(balance, "accepted"));
    for (String part :
        List.of("delivered", "cancelled", "purged", "dead", "reconciling", "pending")) {
      table.row("  " + part, field(balance, part));
    }
    table.row("bodies kept", field(balance, "bodies"));
    StringBuilder text = new StringBuilder(table.render(options.ansi()));
    long problems = balance.getLong("problemCount", 0L);
    text.append(System.lineSeparator())
        .append(
            balance.getBoolean("holds", false)
                ? "The balance holds."
                : "The balance does NOT hold: " + problems + " problems.");
    for (Object problem : balance.getJsonArray("problems", new JsonArray())) {
      text.append(System.lineSeparator()).append("  ").append(Text.printable(problem.toString()));
    }
    return text.toString();
  }
}
