package io.thermocline.cli.cluster;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.OptionalInt;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Asks a cluster's REST endpoint how it is. */
final class RestProbe {

    private static final Duration TIMEOUT = Duration.ofSeconds(5);
    private static final Pattern TASK_MANAGERS = Pattern.compile("\"taskmanagers\"\\s*:\\s*(\\d+)");
    private static final Pattern RUNNING = Pattern.compile("\"jobs-running\"\\s*:\\s*(\\d+)");

    private final HttpClient client = HttpClient.newBuilder().connectTimeout(TIMEOUT).build();
    private final URI overview;

    RestProbe(URI rest) {
        this.overview = rest.resolve("/overview");
    }

    /** Number of registered TaskManagers; empty while the endpoint does not answer. */
    OptionalInt taskManagers() {
        return number(TASK_MANAGERS);
    }

    /** Number of running jobs; empty while the endpoint does not answer. */
    OptionalInt runningJobs() {
        return number(RUNNING);
    }

    private OptionalInt number(Pattern pattern) {
        try {
            HttpRequest request = HttpRequest.newBuilder(overview).timeout(TIMEOUT).build();
            HttpResponse<String> response =
                    client.send(request, HttpResponse.BodyHandlers.ofString());
            Matcher m = pattern.matcher(response.body());
            return response.statusCode() == 200 && m.find()
                    ? OptionalInt.of(Integer.parseInt(m.group(1)))
                    : OptionalInt.empty();
        } catch (IOException e) {
            return OptionalInt.empty();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return OptionalInt.empty();
        }
    }
}
