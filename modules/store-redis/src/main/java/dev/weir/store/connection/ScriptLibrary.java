package dev.weir.store.connection;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The definitions that scripts share. Redis runs all of a script's definitions at each call, which
 * for a short script costs more than its work; so each is given only those that it uses, directly
 * or through others.
 *
 * <p>A definition begins with {@code local} at the beginning of a line and may use only what stands
 * before it, as Lua wants it anyway.
 */
final class ScriptLibrary {

  private static final Pattern BEGIN = Pattern.compile("(?m)^(?=local )");
  private static final Pattern COMMENT = Pattern.compile("(?m)^\\s*--.*\n?");
  private static final Pattern NAMES = Pattern.compile("local (?:function )?([\\w, ]+)");
  private static final Pattern WORD = Pattern.compile("(?<![.\\w])[A-Za-z_]\\w*");

  private record Definition(Set<String> names, Set<String> uses, String text) {}

  private final List<Definition> definitions = new ArrayList<>();

  ScriptLibrary(String source) {
    for (String text : BEGIN.split(withoutComments(source))) {
      Matcher names = NAMES.matcher(text);
      if (names.lookingAt()) {
        definitions.add(new Definition(words(names.group(1)), words(text), text));
      }
    }
  }

  /** What has to stand before {@code script}. */
  String neededBy(String script) {
    Set<String> used = words(withoutComments(script));
    StringBuilder needed = new StringBuilder();
    for (int i = definitions.size() - 1; i >= 0; i--) {
      Definition definition = definitions.get(i);
      if (definition.names().stream().anyMatch(used::contains)) {
        used.addAll(definition.uses());
        needed.insert(0, definition.text());
      }
    }
    return needed.toString();
  }

  private static String withoutComments(String source) {
    return COMMENT.matcher(source).replaceAll("");
  }

  private static Set<String> words(String text) {
    Set<String> words = new LinkedHashSet<>();
    Matcher word = WORD.matcher(text);
    while (word.find()) {
      words.add(word.group());
    }
    return words;
  }
}
