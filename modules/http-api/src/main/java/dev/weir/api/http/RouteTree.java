package dev.weir.api.http;

import io.vertx.core.http.HttpMethod;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Paths to endpoints, segment by segment over the raw path: nothing is normalised, so an id may
 * hold slashes, dots and percent signs, each encoded. (Routers that normalise first turn {@code
 * ..%2Fx} into a path of its own, or decode twice.)
 */
final class RouteTree {

  private final Node root = new Node();

  void add(Endpoint endpoint) {
    Node node = root;
    for (String segment : endpoint.segments()) {
      node = isParameter(segment) ? node.parameter() : node.literal(segment);
    }
    if (node.methods.put(endpoint.method(), endpoint) != null) {
      throw new IllegalStateException("two operations for " + endpoint);
    }
  }

  /** The endpoints at a path by method; empty when there is no such path. */
  Optional<Match> match(String path) {
    List<String> segments = segments(path);
    Node node = root;
    for (String segment : segments) {
      Node next = node.literals.get(segment);
      node = next != null ? next : segment.isEmpty() ? null : node.parameter;
      if (node == null) {
        return Optional.empty();
      }
    }
    return node.methods.isEmpty()
        ? Optional.empty()
        : Optional.of(new Match(Map.copyOf(node.methods), segments));
  }

  private static List<String> segments(String path) {
    List<String> decoded = new ArrayList<>();
    if (path.startsWith("/")) {
      for (String segment : path.substring(1).split("/", -1)) {
        decoded.add(PercentText.decode("path", segment));
      }
    }
    return decoded;
  }

  private static boolean isParameter(String segment) {
    return segment.startsWith("{");
  }

  record Match(Map<HttpMethod, Endpoint> methods, List<String> segments) {

    /** HEAD is GET without the body. */
    @Nullable Endpoint endpoint(HttpMethod method) {
      return methods.get(method.equals(HttpMethod.HEAD) ? HttpMethod.GET : method);
    }

    /** For the header {@code Allow}. */
    String allow() {
      Set<String> names = new TreeSet<>();
      methods.keySet().forEach(method -> names.add(method.name()));
      if (names.contains("GET")) {
        names.add("HEAD");
      }
      return String.join(", ", names);
    }

    Map<String, String> parameters(Endpoint endpoint) {
      Map<String, String> values = new LinkedHashMap<>();
      for (int i = 0; i < segments.size(); i++) {
        String name = endpoint.segments().get(i);
        if (isParameter(name)) {
          values.put(name.substring(1, name.length() - 1), segments.get(i));
        }
      }
      return values;
    }
  }

  private static final class Node {
    private final Map<String, Node> literals = new HashMap<>();
    private final Map<HttpMethod, Endpoint> methods = new HashMap<>();
    private @Nullable Node parameter;

    private Node literal(String segment) {
      return literals.computeIfAbsent(segment, name -> new Node());
    }

    private Node parameter() {
      if (parameter == null) {
        parameter = new Node();
      }
      return parameter;
    }
  }
}
