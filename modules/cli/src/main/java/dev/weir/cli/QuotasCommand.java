package dev.weir.cli;

import static dev.weir.cli.output.Text.field;

import dev.weir.cli.api.Answer;
import dev.weir.cli.api.ApiPath;
import dev.weir.cli.output.Table;
import dev.weir.cli.output.Text;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Quotas that several subscribers share. */
@Command(
    name = "quotas",
    description =
        "List shared quotas (without a command), or show, create, change and delete them.",
    subcommands = {
      QuotasCommand.ListAll.class,
      QuotasCommand.Get.class,
      QuotasCommand.Put.class,
      QuotasCommand.Delete.class,
      QuotasCommand.OpenGate.class
    },
    footerHeading = "%nExamples:%n",
    footer = {"  weir quotas put vendor --rate 10/s --burst 20", "  weir quotas open-gate vendor"})
final class QuotasCommand extends QuotaListing {

  static final String PATH = "/v1/quotas";

  @Command(
      name = "list",
      description = "All shared quotas.",
      footerHeading = "%nExamples:%n",
      footer = {"  weir quotas list"})
  static final class ListAll extends QuotaListing {}

  @Command(
      name = "get",
      description = "One shared quota and who shares it.",
      footerHeading = "%nExamples:%n",
      footer = {"  weir quotas get vendor"})
  static final class Get implements Callable<Integer> {
    @Mixin private NodeOptions options = new NodeOptions();

    @Parameters(paramLabel = "QUOTA", description = "The quota's name.")
    private String id = "";

    @Override
    public Integer call() {
      Answer answer = options.node().get(ApiPath.of(PATH, id));
      return options.show(answer, view -> table(List.of(view), options));
    }
  }

  @Command(
      name = "put",
      description = "Create or change a shared quota; tokens in hand are kept.",
      footerHeading = "%nExamples:%n",
      footer = {"  weir quotas put vendor --rate 10/s --burst 20"})
  static final class Put implements Callable<Integer> {
    @Mixin private NodeOptions options = new NodeOptions();

    @Parameters(paramLabel = "QUOTA", description = "The quota's name.")
    private String id = "";

    @Option(
        names = "--rate",
        paramLabel = "RATE",
        required = true,
        description = "5/s, 0.5/s, 10/min, 5/h, 0 or unlimited.")
    private String rate = "";

    @Option(names = "--burst", paramLabel = "N", description = "Whole tokens to spend at once.")
    private @Nullable Integer burst;

    @Override
    public Integer call() {
      JsonObject quota = new JsonObject().put("rate", rate);
      if (burst != null) {
        quota.put("burst", burst);
      }
      Answer answer = options.node().put(ApiPath.of(PATH, id), quota);
      return options.show(answer, view -> table(List.of(view), options));
    }
  }

  @Command(
      name = "delete",
      description = "Delete a shared quota that nobody uses any more.",
      footerHeading = "%nExamples:%n",
      footer = {"  weir quotas delete vendor"})
  static final class Delete implements Callable<Integer> {
    @Mixin private NodeOptions options = new NodeOptions();

    @Parameters(paramLabel = "QUOTA", description = "The quota's name.")
    private String id = "";

    @Override
    public Integer call() {
      return options.done(
          options.node().delete(ApiPath.of(PATH, id)), "Deleted " + Text.printable(id));
    }
  }

  @Command(
      name = "open-gate",
      description = "Open a closed gate now; deliveries go on with a probe.",
      footerHeading = "%nExamples:%n",
      footer = {"  weir quotas open-gate store_17    (a subscriber's own quota has its id)"})
  static final class OpenGate implements Callable<Integer> {
    @Mixin private NodeOptions options = new NodeOptions();

    @Parameters(paramLabel = "QUOTA", description = "The quota's name.")
    private String id = "";

    @Override
    public Integer call() {
      Answer answer = options.node().post(ApiPath.of(PATH, id).then("/open-gate"));
      return options.done(answer, "Opened the gate of " + Text.printable(id));
    }
  }

  static String table(List<JsonObject> quotas, NodeOptions options) {
    Table table = new Table("QUOTA", "RATE", ">BURST", "GATE OPENS", "SHARED BY");
    for (JsonObject quota : quotas) {
      table.row(
          field(quota, "id"),
          field(quota, "rate"),
          field(quota, "burst"),
          options.times().withAge(quota.getString("gateOpensAt")),
          quota.getJsonArray("subscribers", new JsonArray()).stream()
              .map(Object::toString)
              .collect(Collectors.joining(", ")));
    }
    return table.render(options.ansi());
  }
}
