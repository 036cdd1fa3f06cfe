package dev.weir.cli;

import dev.weir.cli.api.ApiPath;
import dev.weir.cli.api.Pages;
import java.util.concurrent.Callable;
import picocli.CommandLine.Mixin;

/** All shared quotas. */
abstract class QuotaListing implements Callable<Integer> {

  @Mixin private NodeOptions options = new NodeOptions();
  @Mixin private ListOptions list = new ListOptions();

  @Override
  public Integer call() {
    Pages pages = Pages.gather(options.node(), ApiPath.of(QuotasCommand.PATH), list.limit(options));
    return options.show(
        pages,
        "No shared quotas: each subscriber has its own",
        found -> QuotasCommand.table(found.items(), options));
  }
}
