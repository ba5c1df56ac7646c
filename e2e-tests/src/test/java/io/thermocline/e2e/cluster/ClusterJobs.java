package io.thermocline.e2e.cluster;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;

/** Jobs of a session cluster, as its REST endpoint tells them. */
final class ClusterJobs {

    private static final ObjectMapper JSON = new ObjectMapper();

    private final HttpClient client = HttpClient.newHttpClient();
    private final URI rest;

    ClusterJobs(Workbench bench) throws IOException {
        String address =
                Files.readString(bench.directory().resolve(".thermocline/cluster/rest-address"));
        this.rest = URI.create(address.strip());
    }

    /**
     * A job.
     *
     * @param id hexadecimal
     * @param state {@code RUNNING}, {@code FINISHED} …
     */
    record Job(String id, String name, String state) {}

    List<Job> all() {
        List<Job> jobs = new ArrayList<>();
        for (JsonNode job : get("/jobs/overview").path("jobs")) {
            jobs.add(
                    new Job(
                            job.path("jid").asText(),
                            job.path("name").asText(),
                            job.path("state").asText()));
        }
        return jobs;
    }

    /** State of the only job whose name contains a text. */
    String stateOf(String namePart) {
        return only(namePart).state();
    }

    /** Id of the only job whose name contains a text. */
    String idOf(String namePart) {
        return only(namePart).id();
    }

    /** Number of completed checkpoints of the only job whose name contains a text. */
    int completedCheckpoints(String namePart) {
        String id = idOf(namePart);
        return get("/jobs/" + id + "/checkpoints").path("counts").path("completed").asInt();
    }

    private Job only(String namePart) {
        List<Job> found = all().stream().filter(job -> job.name().contains(namePart)).toList();
        if (found.size() != 1) {
            throw new AssertionError("expected one job named '" + namePart + "': " + all());
        }
        return found.get(0);
    }

    private JsonNode get(String path) {
        try {
            HttpRequest request = HttpRequest.newBuilder(rest.resolve(path)).build();
            String body = client.send(request, HttpResponse.BodyHandlers.ofString()).body();
            return JSON.readTree(body);
        } catch (IOException e) {
            throw new AssertionError("no answer from " + rest.resolve(path), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError("interrupted", e);
        }
    }
}
