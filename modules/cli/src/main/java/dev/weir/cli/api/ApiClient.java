package dev.weir.cli.api;

import io.vertx.core.json.DecodeException;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.net.ConnectException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpConnectTimeoutException;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.net.http.HttpTimeoutException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;

/**
 * Sends one request at a time and waits for it. The JDK's client, because a command lives for a
 * fraction of a second and starting event loops would be most of it.
 */
public final class ApiClient {

  private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(5);

  /** Longer than any answer but {@code balance} takes; a node that needs more is stuck. */
  public static final Duration DEFAULT_TIMEOUT = Duration.ofSeconds(60);

  private final String base;
  private final HttpClient http =
      HttpClient.newBuilder()
          .version(HttpClient.Version.HTTP_1_1)
          .connectTimeout(CONNECT_TIMEOUT)
          .build();

  /**
   * @param base absolute http or https URI of the node, with or without a trailing slash
   */
  public ApiClient(URI base) {
    String text = base.toString();
    this.base = text.endsWith("/") ? text.substring(0, text.length() - 1) : text;
  }

  public Answer get(ApiPath path) {
    return send("GET", path, BodyPublishers.noBody(), Map.of(), DEFAULT_TIMEOUT);
  }

  public Answer get(ApiPath path, Duration timeout) {
    return send("GET", path, BodyPublishers.noBody(), Map.of(), timeout);
  }

  public Answer delete(ApiPath path) {
    return send("DELETE", path, BodyPublishers.noBody(), Map.of(), DEFAULT_TIMEOUT);
  }

  public Answer put(ApiPath path, JsonObject body) {
    return put(path, body.encode().getBytes(StandardCharsets.UTF_8));
  }

  public Answer put(ApiPath path, byte[] json) {
    return sendJson("PUT", path, json, Map.of());
  }

  /** For operations that take no body. */
  public Answer post(ApiPath path) {
    return send("POST", path, BodyPublishers.noBody(), Map.of(), DEFAULT_TIMEOUT);
  }

  public Answer post(ApiPath path, JsonObject body) {
    return post(path, body.encode().getBytes(StandardCharsets.UTF_8), Map.of());
  }

  public Answer post(ApiPath path, byte[] json, Map<String, String> headers) {
    return sendJson("POST", path, json, headers);
  }

  private Answer sendJson(String method, ApiPath path, byte[] json, Map<String, String> headers) {
    return send(method, path, BodyPublishers.ofByteArray(json), headers, DEFAULT_TIMEOUT);
  }

  private Answer send(
      String method,
      ApiPath path,
      BodyPublisher body,
      Map<String, String> headers,
      Duration timeout) {
    URI target = URI.create(base + path.text());
    HttpRequest.Builder request =
        HttpRequest.newBuilder(target)
            .method(method, body)
            .timeout(timeout)
            .header("Accept", "application/json");
    if (body.contentLength() > 0) {
      request.header("Content-Type", "application/json");
    }
    headers.forEach(request::header);
    return read(method + " " + target, exchange(method, target, request.build(), timeout));
  }

  private HttpResponse<String> exchange(
      String method, URI target, HttpRequest request, Duration timeout) {
    try {
      return http.send(request, BodyHandlers.ofString(StandardCharsets.UTF_8));
    } catch (ConnectException | HttpConnectTimeoutException e) {
      throw NodeFailure.unreachable(
          "can't reach a node at "
              + base
              + " ("
              + reason(e)
              + "). Start one with 'weir server', or name another with --url or WEIR_URL.");
    } catch (HttpTimeoutException e) {
      throw NodeFailure.unreachable(
          method
              + " "
              + target
              + " was not answered within "
              + timeout.toSeconds()
              + " s; it may or may not have been done. Look at "
              + base
              + "/health/ready and at the node's log.");
    } catch (IOException e) {
      throw NodeFailure.unreachable(
          method
              + " "
              + target
              + " failed before an answer came ("
              + reason(e)
              + "); it may or may not have been done. Is it a Weir node that listens there?");
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw NodeFailure.unreachable(method + " " + target + " was interrupted");
    }
  }

  private static String reason(IOException e) {
    String message = e.getMessage();
    if (message == null && e.getCause() != null) {
      message = e.getCause().getMessage();
    }
    if (message == null) {
      return e instanceof ConnectException ? "connection refused or host unknown" : "no detail";
    }
    return message;
  }

  private Answer read(String request, HttpResponse<String> response) {
    int status = response.statusCode();
    if (status >= 200 && status < 300) {
      return new Answer(request, status, response.body());
    }
    String again =
        response
            .headers()
            .firstValue("Retry-After")
            .map(seconds -> " Try again in " + seconds + " s.")
            .orElse("");
    throw NodeFailure.answered(
        status,
        request + " was answered with " + status + ": " + explain(response.body()) + again,
        response.body());
  }

  /** The problem+json in a sentence, or the beginning of whatever came instead. */
  private static String explain(String body) {
    JsonObject problem;
    try {
      problem = new JsonObject(body);
    } catch (DecodeException e) {
      String start = body.strip();
      return start.isEmpty() ? "no explanation" : start.substring(0, Math.min(start.length(), 200));
    }
    StringBuilder text =
        new StringBuilder(
            Stream.of("detail", "reason", "title")
                .map(problem::getString)
                .filter(Objects::nonNull)
                .findFirst()
                .orElse("no explanation"));
    if (problem.getValue("field") != null) {
      text.append(" [field: ").append(problem.getValue("field")).append(']');
    }
    if (problem.getValue("limit") != null) {
      text.append(" [limit: ").append(problem.getValue("limit")).append(']');
    }
    return text.toString();
  }
}
