package io.thermocline.benchmarks.kafka;

import io.thermocline.benchmarks.driver.Driver;
import io.thermocline.benchmarks.driver.Fields;
import io.thermocline.benchmarks.driver.OperationRunner;
import io.thermocline.benchmarks.driver.Target;
import io.thermocline.benchmarks.flink.Dialect;
import io.thermocline.benchmarks.flink.FlinkOperations;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;

/** A process that runs Flink jobs against a broker; a table is a topic of its name. */
public final class KafkaDriver implements OperationRunner {

    private final FlinkOperations jobs;
    private final Admin admin;

    private KafkaDriver(String bootstrapServers, Runnable begin) {
        this.jobs = new FlinkOperations(Dialect.KAFKA, bootstrapServers, begin);
        this.admin = Admin.create(Map.of("bootstrap.servers", bootstrapServers));
    }

    /** Argument: {@code host:port} of the broker. */
    public static void main(String[] arguments) {
        Driver.serve(begin -> new KafkaDriver(arguments[0], begin));
    }

    @Override
    public Fields run(Fields command) throws Exception {
        switch (command.name()) {
            case "create" ->
                    admin.createTopics(
                                    List.of(
                                            new NewTopic(
                                                    command.get("table"),
                                                    Target.BUCKETS,
                                                    (short) 1)))
                            .all()
                            .get();
            case "drop" -> admin.deleteTopics(List.of(command.get("table"))).all().get();
            default -> {
                // A job.
            }
        }
        return jobs.run(command);
    }

    @Override
    public void close() {
        admin.close();
        jobs.close();
    }
}
