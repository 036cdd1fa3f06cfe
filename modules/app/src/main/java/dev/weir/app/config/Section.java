package dev.weir.app.config;

import dev.weir.domain.time.Durations;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * One level of the configuration file. Each reader method names a key, its default and its bounds;
 * what it can't use it notes as a problem and answers with the default, so that reading goes on and
 * every problem is found. Reading from an empty section therefore yields the defaults, and the keys
 * that were read are the keys that there are.
 */
final class Section {

  private final String path;
  private final Map<?, ?> values;
  private final Map<String, String> origins;
  private final List<String> problems;
  private final List<String> knownPaths;
  private final Map<String, Section> children = new LinkedHashMap<>();
  private final List<String> known = new ArrayList<>();

  private Section(
      String path,
      Map<?, ?> values,
      Map<String, String> origins,
      List<String> problems,
      List<String> knownPaths) {
    this.path = path;
    this.values = values;
    this.origins = origins;
    this.problems = problems;
    this.knownPaths = knownPaths;
  }

  /**
   * @param origins what to call a path in problems, where it is not from the file: its option
   */
  static Section root(Map<?, ?> values, Map<String, String> origins) {
    return new Section("", values, origins, new ArrayList<>(), new ArrayList<>());
  }

  Section section(String key) {
    known.add(key);
    Object value = values.get(key);
    if (value != null && !(value instanceof Map)) {
      problem(key, "must hold keys of its own, but is " + shown(value));
    }
    Map<?, ?> inner = value instanceof Map<?, ?> map ? map : Map.of();
    Section child = new Section(pathOf(key), inner, origins, problems, knownPaths);
    children.put(key, child);
    return child;
  }

  Duration duration(String key, Duration otherwise, Duration least, Duration most) {
    return read(
        key,
        otherwise,
        value -> {
          Duration duration = Durations.parse(value.toString());
          require(
              duration.compareTo(least) >= 0 && duration.compareTo(most) <= 0,
              duration,
              Durations.format(least) + " to " + Durations.format(most));
          return duration;
        });
  }

  int integer(String key, int otherwise, int least, int most) {
    return (int) whole(key, otherwise, least, most);
  }

  long whole(String key, long otherwise, long least, long most) {
    return read(
        key,
        otherwise,
        value -> {
          if (!(value instanceof Integer || value instanceof Long)) {
            throw new IllegalArgumentException(shown(value) + " is not a whole number");
          }
          long number = ((Number) value).longValue();
          require(number >= least && number <= most, number, least + " to " + most);
          return number;
        });
  }

  <E extends Enum<E>> E choice(String key, Class<E> type, E otherwise) {
    return read(
        key,
        otherwise,
        value -> {
          List<String> words = new ArrayList<>();
          for (E constant : type.getEnumConstants()) {
            String word = constant.name().toLowerCase(Locale.ROOT);
            if (word.equals(value.toString())) {
              return constant;
            }
            words.add(word);
          }
          throw new IllegalArgumentException(
              "must be one of " + String.join(", ", words) + ", was " + shown(value));
        });
  }

  /** A value that {@code parse} understands or refuses with an {@link IllegalArgumentException}. */
  <T> T parsed(String key, T otherwise, Function<String, T> parse) {
    return read(key, otherwise, value -> parse.apply(scalar(value)));
  }

  <T> Optional<T> optional(String key, Function<String, T> parse) {
    return read(key, Optional.<T>empty(), value -> Optional.of(parse.apply(scalar(value))));
  }

  /** Notes what no single key can know: a relation between several. */
  void check(boolean holds, String key, String problem) {
    if (!holds) {
      problem(key, problem);
    }
  }

  /** Notes every key that nobody asked for; call once, on the root, after everything was read. */
  void refuseUnknown() {
    for (Object key : values.keySet()) {
      if (!known.contains(String.valueOf(key))) {
        String guess =
            Nearest.to(String.valueOf(key), known)
                .map(near -> "; did you mean '" + pathOf(near) + "'?")
                .orElse("; known here: " + String.join(", ", known));
        problem(String.valueOf(key), "is not a known key" + guess);
      }
    }
    children.values().forEach(Section::refuseUnknown);
  }

  List<String> problems() {
    return List.copyOf(problems);
  }

  /** Paths of all keys with a value that have been read so far, such as {@code http.listen}. */
  List<String> knownPaths() {
    return List.copyOf(knownPaths);
  }

  private <T> T read(String key, T otherwise, Function<Object, T> parse) {
    known.add(key);
    knownPaths.add(pathOf(key));
    Object value = values.get(key);
    if (value == null) {
      return otherwise;
    }
    try {
      return parse.apply(value);
    } catch (IllegalArgumentException e) {
      problem(key, String.valueOf(e.getMessage()));
      return otherwise;
    }
  }

  private static String scalar(Object value) {
    if (value instanceof Map || value instanceof Iterable) {
      throw new IllegalArgumentException("must be one value, not a list or a map");
    }
    return value.toString();
  }

  private static void require(boolean holds, Object was, String allowed) {
    if (!holds) {
      Object shown = was instanceof Duration duration ? Durations.format(duration) : was;
      throw new IllegalArgumentException("must be " + allowed + ", was " + shown);
    }
  }

  private static String shown(@Nullable Object value) {
    return value instanceof Map || value instanceof Iterable
        ? "a list or a map"
        : "'" + value + "'";
  }

  private void problem(String key, String what) {
    problems.add(origins.getOrDefault(pathOf(key), pathOf(key)) + ": " + what);
  }

  private String pathOf(String key) {
    return path.isEmpty() ? key : path + "." + key;
  }
}
