package dev.weir.cli;

import dev.weir.cli.api.ApiPath;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** Whether the node takes work; for health checks and for scripts that have just started one. */
@Command(
    name = "health",
    description = "Say whether the node is ready; exits with 4 and the reason when it is not.",
    footerHeading = "%nExamples:%n",
    footer = {"  until weir health; do sleep 1; done"})
final class HealthCommand implements Callable<Integer> {

  @Mixin private NodeOptions options = new NodeOptions();

  @Override
  public Integer call() {
    return options.show(
        options.node().get(ApiPath.of("/health/ready")),
        health -> health.getString("status", "ready"));
  }
}
