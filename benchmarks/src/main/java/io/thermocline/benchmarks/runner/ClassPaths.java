package io.thermocline.benchmarks.runner;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * Class paths of peers. Each peer is a Maven project of its own below {@code peers}, outside of the
 * build, so that its dependencies reach no module; it is built on first use.
 */
final class ClassPaths {

    private final RunDirectory directory;

    ClassPaths(RunDirectory directory) {
        this.directory = directory;
    }

    /**
     * The class path of a peer's client and servers.
     *
     * @throws IOException if Maven cannot build it, naming the log
     */
    String of(String peer) throws IOException {
        Path project = directory.module().resolve("peers").resolve(peer);
        Path classPath = project.resolve("target/peer.classpath");
        Path log = directory.logs().resolve(peer + "-build.log");
        int exit;
        try {
            exit =
                    new ProcessBuilder(
                                    List.of(
                                            directory.module().resolve("../mvnw").toString(),
                                            "-B",
                                            "-q",
                                            "-f",
                                            project.resolve("pom.xml").toString(),
                                            "package"))
                            .redirectErrorStream(true)
                            .redirectOutput(log.toFile())
                            .start()
                            .waitFor();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted while Maven built " + project, e);
        }
        if (exit != 0) {
            throw new IOException("Maven could not build " + project + "; see " + log);
        }
        return project.resolve("target/classes") + ":" + Files.readString(classPath).strip();
    }
}
