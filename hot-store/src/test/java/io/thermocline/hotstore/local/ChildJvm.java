package io.thermocline.hotstore.local;

import java.io.File;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;

/** Starts main classes of the tests in a JVM of their own. */
public final class ChildJvm {

    private ChildJvm() {}

    /** The class path of this JVM. */
    public static String classPath() {
        return System.getProperty("java.class.path");
    }

    /** The class path of this JVM with another jar in the place of the one that holds RocksDB. */
    public static String classPathWithRocksDb(Path jar) {
        return Arrays.stream(classPath().split(File.pathSeparator))
                        .filter(
                                element ->
                                        !element.matches(".*[/\\\\]f?rocksdbjni-[^/\\\\]*\\.jar"))
                        .collect(Collectors.joining(File.pathSeparator))
                + File.pathSeparator
                + jar;
    }

    /** Starts a class; its standard error goes to that of this JVM. */
    public static Process start(String classPath, Class<?> main, String... arguments)
            throws IOException {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.add("-Xmx256m");
        command.add("--add-opens=java.base/java.nio=ALL-UNNAMED");
        command.add("-cp");
        command.add(classPath);
        command.add(main.getName());
        command.addAll(List.of(arguments));
        return new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
    }
}
