package dev.weir.receiver;

import dev.weir.receiver.Script.Answer;
import dev.weir.receiver.Script.Ending;
import dev.weir.receiver.Script.PathScript;
import dev.weir.receiver.Script.RateLimit;
import dev.weir.receiver.Script.RetryAfterForm;
import dev.weir.receiver.Script.Rule;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** A script under way: when it began, what has arrived, what its limits have left. */
final class ScriptRun {

  private final Script script;
  private final long startNs;
  private final List<PathRun> paths = new ArrayList<>();

  ScriptRun(Script script, long startNs) {
    this.script = script;
    this.startNs = startNs;
    script.paths().stream()
        .sorted(
            Comparator.comparing(PathScript::prefix).thenComparing(path -> -path.path().length()))
        .forEach(path -> paths.add(new PathRun(path)));
  }

  Script script() {
    return script;
  }

  long elapsedMs(long nowNs) {
    return (nowNs - startNs) / 1_000_000;
  }

  /**
   * @param attempt the number of this attempt of its delivery, 1 for the first
   */
  Answer answer(String path, long attempt, long nowNs, Instant now) {
    for (PathRun run : paths) {
      if (run.script.fits(path)) {
        return run.answer(attempt, nowNs, now);
      }
    }
    return finish(script.fallback(), now);
  }

  private static Answer finish(Answer answer, Instant now) {
    if (answer.headers().values().stream().noneMatch(value -> value.contains("{date"))) {
      return answer;
    }
    Map<String, String> filled = new LinkedHashMap<>();
    answer.headers().forEach((name, value) -> filled.put(name, HttpDates.fill(value, now)));
    filled.putIfAbsent("Date", HttpDates.format(now));
    return withHeaders(answer, filled);
  }

  private static Answer withHeaders(Answer answer, Map<String, String> headers) {
    return new Answer(
        answer.status(),
        headers,
        answer.body(),
        answer.delayMs(),
        answer.drip(),
        answer.ending(),
        answer.limit());
  }

  private final class PathRun {

    private final PathScript script;
    private final Map<Rule, RealLimit> limits = new IdentityHashMap<>();
    private long arrivals;

    private PathRun(PathScript script) {
      this.script = script;
      for (Rule rule : script.rules()) {
        RateLimit limit = rule.answer().limit();
        if (limit != null) {
          limits.put(rule, new RealLimit(limit));
        }
      }
    }

    private Answer answer(long attempt, long nowNs, Instant now) {
      arrivals++;
      for (Rule rule : script.rules()) {
        if (rule.match().holds(arrivals, elapsedMs(nowNs), attempt)) {
          return limited(rule, nowNs, now);
        }
      }
      return finish(ScriptRun.this.script.fallback(), now);
    }

    private Answer limited(Rule rule, long nowNs, Instant now) {
      RealLimit limit = limits.get(rule);
      RateLimit configured = rule.answer().limit();
      long waitNs = limit == null ? 0 : limit.takeOrWaitNs(nowNs);
      return waitNs == 0 || configured == null
          ? finish(rule.answer(), now)
          : tooMany(configured.retryAfter(), waitNs, now);
    }
  }

  private static Answer tooMany(RetryAfterForm form, long waitNs, Instant now) {
    Map<String, String> headers = new LinkedHashMap<>();
    if (form == RetryAfterForm.SECONDS) {
      headers.put("Retry-After", String.valueOf((waitNs + 999_999_999) / 1_000_000_000));
    } else if (form == RetryAfterForm.DATE) {
      // A date has whole seconds: one more, or the cut would ask for less than the limit needs.
      headers.put("Retry-After", HttpDates.format(now.plusNanos(waitNs + 999_999_999)));
      headers.put("Date", HttpDates.format(now));
    }
    return new Answer(429, headers, "too many requests\n", 0, null, Ending.ANSWER, null);
  }
}
