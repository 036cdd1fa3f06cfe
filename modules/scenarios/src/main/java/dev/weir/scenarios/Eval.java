package dev.weir.scenarios;

import dev.weir.scenarios.EvalReport.CaseResult;
import dev.weir.scenarios.eval.CaseFailed;
import dev.weir.scenarios.eval.Cases;
import dev.weir.scenarios.eval.EvalCase;
import dev.weir.scenarios.eval.Stage;
import dev.weir.scenarios.process.ReceiverProcess;
import dev.weir.scenarios.process.ScenarioException;
import dev.weir.scenarios.process.ScratchDirectory;
import dev.weir.scenarios.process.WeirProcess;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Collectors;

/**
 * Runs the fixed cases against real processes: one receiver, one node for all cases that leave it
 * whole, side by side; and a second one for those that kill it or its store, one after the other.
 */
public final class Eval {

  private final List<EvalCase> cases;
  private final Progress progress;

  private Eval(List<EvalCase> cases, Progress progress) {
    this.cases = cases;
    this.progress = progress;
  }

  /** The names that {@link EvalOptions#only()} may have. */
  public static List<String> caseNames() {
    return Cases.all().stream().map(EvalCase::name).toList();
  }

  /**
   * Runs them; blocks until the end.
   *
   * @throws ScenarioException when a case is not known or the processes can't be started
   */
  public static EvalReport run(EvalOptions options, Progress progress) {
    List<EvalCase> wanted =
        Cases.all().stream()
            .filter(known -> options.only() == null || known.name().equals(options.only()))
            .toList();
    if (wanted.isEmpty()) {
      throw new ScenarioException(
          "there is no case " + options.only() + "; there are " + String.join(", ", caseNames()));
    }
    return new Eval(wanted, progress).run();
  }

  private EvalReport run() {
    long startNs = System.nanoTime();
    progress.phase("Starting a receiver and the nodes, as processes of their own");
    try (ScratchDirectory dir = ScratchDirectory.create("weir-eval-");
        ReceiverProcess receiver = ReceiverProcess.start(dir.path(), script())) {
      ExecutorService threads = Executors.newCachedThreadPool();
      try {
        Future<List<CaseResult>> together = threads.submit(() -> together(dir, receiver, threads));
        Future<List<CaseResult>> oneByOne = threads.submit(() -> oneByOne(dir, receiver));
        List<CaseResult> results = new ArrayList<>(get(together));
        results.addAll(get(oneByOne));
        return new EvalReport(inOrder(results), (System.nanoTime() - startNs) / 1_000_000);
      } finally {
        threads.shutdownNow();
      }
    }
  }

  private List<CaseResult> together(
      ScratchDirectory dir, ReceiverProcess receiver, ExecutorService threads) {
    List<EvalCase> harmless = cases.stream().filter(c -> !c.ownNode()).toList();
    if (harmless.isEmpty()) {
      return List.of();
    }
    try (WeirProcess node = WeirProcess.start(dir.path(), "node")) {
      List<Future<CaseResult>> running =
          harmless.stream().map(c -> threads.submit(() -> play(c, node, receiver))).toList();
      return running.stream().map(Eval::get).toList();
    }
  }

  private List<CaseResult> oneByOne(ScratchDirectory dir, ReceiverProcess receiver) {
    List<EvalCase> harmful = cases.stream().filter(EvalCase::ownNode).toList();
    if (harmful.isEmpty()) {
      return List.of();
    }
    try (WeirProcess node = WeirProcess.start(dir.path(), "hurt-node")) {
      return harmful.stream().map(c -> play(c, node, receiver)).toList();
    }
  }

  private CaseResult play(EvalCase evalCase, WeirProcess node, ReceiverProcess receiver) {
    long startNs = System.nanoTime();
    Stage stage = new Stage(evalCase, node, receiver);
    String problem = "";
    try {
      evalCase.play().run(stage);
    } catch (CaseFailed | ScenarioException e) {
      problem = String.valueOf(e.getMessage());
    } catch (RuntimeException e) {
      // A case that trips over an unexpected shape has failed too; the others go on.
      problem = "unexpected: " + e;
    }
    CaseResult result =
        new CaseResult(
            evalCase.name(),
            evalCase.claim(),
            problem,
            (System.nanoTime() - startNs) / 1_000_000,
            stage.traces());
    report(result);
    return result;
  }

  private synchronized void report(CaseResult result) {
    progress.phase((result.passed() ? "pass  " : "FAIL  ") + result.name());
  }

  private List<CaseResult> inOrder(List<CaseResult> results) {
    List<String> order = caseNames();
    return results.stream()
        .sorted((a, b) -> order.indexOf(a.name()) - order.indexOf(b.name()))
        .toList();
  }

  private String script() {
    return script(cases);
  }

  static String script(List<EvalCase> cases) {
    return "paths:\n"
        + cases.stream()
            .map(
                c ->
                    "  - path: /"
                        + c.name()
                        + "*\n    rules:\n"
                        + (c.rules().isEmpty() ? "      []\n" : c.rules().indent(6)))
            .collect(Collectors.joining());
  }

  private static <T> T get(Future<T> future) {
    try {
      return future.get();
    } catch (ExecutionException e) {
      throw e.getCause() instanceof ScenarioException known
          ? known
          : new ScenarioException("the run broke: " + e.getCause(), e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new ScenarioException("interrupted", e);
    }
  }
}
