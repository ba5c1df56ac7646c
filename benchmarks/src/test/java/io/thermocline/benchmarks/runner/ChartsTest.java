package io.thermocline.benchmarks.runner;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.StringReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.w3c.dom.Document;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;
import org.xml.sax.InputSource;

class ChartsTest {

    @TempDir private Path directory;

    private static Workload row(String name) {
        return Workloads.all().stream()
                .filter(workload -> workload.name().equals(name))
                .findFirst()
                .orElseThrow();
    }

    private static Measurement measurement(
            String row, String system, double seconds, Map<String, String> figures) {
        return new Measurement(row, system, 0, 1_000, seconds, figures, Map.of(), Map.of(), 0, 0);
    }

    private List<Element> elements(String file, String name) throws Exception {
        Document document =
                DocumentBuilderFactory.newInstance()
                        .newDocumentBuilder()
                        .parse(
                                new InputSource(
                                        new StringReader(
                                                Files.readString(directory.resolve(file)))));
        NodeList found = document.getElementsByTagName(name);
        List<Element> elements = new ArrayList<>();
        for (int i = 0; i < found.getLength(); i++) {
            elements.add((Element) found.item(i));
        }
        return elements;
    }

    @Test
    void drawsRatiosToEveryPeerOnALogarithmicScale() throws Exception {
        Map<Workload, List<Measurement>> measured = new LinkedHashMap<>();
        measured.put(
                row("flink-upsert"),
                List.of(
                        measurement("flink-upsert", "thermocline", 1, Map.of()),
                        measurement("flink-upsert", "fluss", 100, Map.of()),
                        measurement("flink-upsert", "kafka", 0.1, Map.of())));

        Charts.draw(measured, directory);

        assertThat(elements(Charts.PEERS_FILE, "text"))
                .extracting(Element::getTextContent)
                .contains("flink-upsert, fluss", "100×", "flink-upsert, kafka", "0.10×");
        // The scale begins at 0.01: four decades to 100, one to 0.1.
        List<Double> lengths =
                elements(Charts.PEERS_FILE, "rect").stream()
                        .skip(1)
                        .map(rectangle -> Double.parseDouble(rectangle.getAttribute("width")))
                        .toList();
        assertThat(lengths).hasSize(2);
        assertThat(lengths.get(0)).isEqualTo(4 * lengths.get(1));
        assertThat(directory.resolve(Charts.HEALTH_FILE)).doesNotExist();
    }

    @Test
    void drawsFreshnessBesideTableHealth() throws Exception {
        Map<String, String> direct =
                Map.of(
                        "p50us", "500000",
                        "p99us", "1000000",
                        "snapshots", "3600",
                        "dataFiles", "7200",
                        "deleteFiles", "7000",
                        "planMs", "812.5",
                        "simulatedSeconds", "3600");
        Map<String, String> tiered =
                Map.of(
                        "p50us", "2000",
                        "p99us", "9000",
                        "snapshots", "60",
                        "dataFiles", "30",
                        "deleteFiles", "0",
                        "planMs", "4.0",
                        "simulatedSeconds", "3600");
        Map<Workload, List<Measurement>> measured = new LinkedHashMap<>();
        measured.put(row("health-1s"), List.of(measurement("health-1s", "iceberg", 1, direct)));
        measured.put(
                row("health-60s"),
                List.of(measurement("health-60s", "thermocline-ice", 1, tiered)));

        Charts.draw(measured, directory);

        assertThat(elements(Charts.HEALTH_FILE, "text"))
                .extracting(Element::getTextContent)
                .contains(
                        "Flink to Iceberg, commits 1 s (60 min)",
                        "Thermocline, tiering 60 s (60 min)",
                        "0.50",
                        "0.0020",
                        "3,600",
                        "14,200",
                        "813");
        assertThat(directory.resolve(Charts.PEERS_FILE)).doesNotExist();
    }

    @Test
    void measurementsComeBackFromJsonLines() throws Exception {
        JsonLines lines = new JsonLines(directory.resolve("figures.json"));
        Measurement first = measurement("recovery", "fluss", 0.25, Map.of("lookupsMs", "80000"));
        Measurement second = measurement("lookup-1", "thermocline", 2, Map.of("p50us", "310.5"));

        lines.add(first);
        lines.add(second);

        assertThat(lines.read()).containsExactly(first, second);
    }
}
