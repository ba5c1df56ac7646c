package io.thermocline.cli.cluster;

import io.thermocline.cli.Workspace;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.runtime.clusterframework.TaskExecutorProcessSpec;
import org.apache.flink.runtime.clusterframework.TaskExecutorProcessUtils;
import org.apache.flink.runtime.jobmanager.JobManagerProcessSpec;
import org.apache.flink.runtime.jobmanager.JobManagerProcessUtils;
import org.apache.flink.runtime.util.config.memory.ProcessMemoryUtils;

/** Command lines of the cluster's processes, with the memory that Flink computes for them. */
final class ProcessCommand {

    private static final Path SETSID = Path.of("/usr/bin/setsid");

    private final Workspace workspace;
    private final Path confDirectory;
    private final Configuration conf;

    ProcessCommand(Workspace workspace, Path confDirectory, Configuration conf) {
        this.workspace = workspace;
        this.confDirectory = confDirectory;
        this.conf = conf;
    }

    List<String> jobManager(String name) {
        JobManagerProcessSpec spec = JobManagerProcessUtils.processSpecFromConfig(conf);
        List<String> command =
                java(
                        name,
                        JobManagerProcessUtils.generateJvmParametersStr(spec, conf),
                        "org.apache.flink.runtime.entrypoint.StandaloneSessionClusterEntrypoint");
        command.addAll(words(JobManagerProcessUtils.generateDynamicConfigsStr(spec)));
        return command;
    }

    List<String> taskManager(String name) {
        TaskExecutorProcessSpec spec = TaskExecutorProcessUtils.processSpecFromConfig(conf);
        List<String> command =
                java(
                        name,
                        ProcessMemoryUtils.generateJvmParametersStr(spec),
                        "org.apache.flink.runtime.taskexecutor.TaskManagerRunner");
        command.addAll(words(TaskExecutorProcessUtils.generateDynamicConfigsStr(spec)));
        command.addAll(List.of("-D", "taskmanager.resource-id=" + name));
        return command;
    }

    private List<String> java(String name, String memory, String main) {
        List<String> command = new ArrayList<>();
        if (Files.isExecutable(SETSID)) {
            // An own session: Ctrl-C in the terminal is not for the cluster.
            command.add(SETSID.toString());
        }
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(words(memory));
        command.addAll(words(System.getProperty("thermocline.jvm.options", "")));
        command.add("-Dlog.file=" + workspace.logDirectory().resolve(name + ".log"));
        command.add(
                "-Dlog4j.configurationFile="
                        + workspace.installation().resolve("conf/log4j.properties").toUri());
        command.add("-cp");
        command.add(workspace.installation().resolve("lib") + "/*");
        command.add(main);
        command.addAll(List.of("--configDir", confDirectory.toString()));
        return command;
    }

    private static List<String> words(String line) {
        return line.isBlank() ? List.of() : List.of(line.strip().split("\\s+"));
    }
}
