package io.thermocline.benchmarks.runner;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;

/**
 * What processes have used so far.
 *
 * @param cpuSeconds by role, since each of them started
 * @param machineSeconds busy CPU seconds of the whole machine; 0 where it does not tell
 * @param nanos when this was
 */
record ProcessUse(Map<String, Double> cpuSeconds, double machineSeconds, long nanos) {

    private static final double NANOS_PER_SECOND = 1e9;
    private static final double TICKS_PER_SECOND = 100;
    private static final long BYTES_PER_KB = 1024;

    static ProcessUse of(Map<String, Long> pids) {
        Map<String, Double> seconds = new TreeMap<>();
        pids.forEach(
                (role, pid) ->
                        seconds.put(
                                role,
                                ProcessHandle.of(pid)
                                                .flatMap(
                                                        process ->
                                                                process.info().totalCpuDuration())
                                                .orElse(Duration.ZERO)
                                                .toNanos()
                                        / NANOS_PER_SECOND));
        return new ProcessUse(seconds, machine(), System.nanoTime());
    }

    double totalSeconds() {
        return cpuSeconds.values().stream().mapToDouble(Double::doubleValue).sum();
    }

    /**
     * By role, the CPU seconds between {@code before} and this. A restarted process counts anew.
     */
    Map<String, Double> since(ProcessUse before) {
        Map<String, Double> used = new TreeMap<>();
        cpuSeconds.forEach(
                (role, seconds) -> {
                    double earlier = before.cpuSeconds.getOrDefault(role, 0.0);
                    used.put(role, seconds >= earlier ? seconds - earlier : seconds);
                });
        return used;
    }

    /** How many cores processes other than these kept busy since {@code before}. */
    double otherCoresSince(ProcessUse before) {
        double own = totalSeconds() - before.totalSeconds();
        double wall = (nanos - before.nanos) / NANOS_PER_SECOND;
        return Math.max(0, (machineSeconds - before.machineSeconds - own) / wall);
    }

    private static double machine() {
        try {
            String line = Files.readAllLines(Path.of("/proc/stat")).get(0);
            String[] ticks = line.trim().split("\\s+");
            // user, nice, system, irq, softirq
            long busy = 0;
            for (int field : new int[] {1, 2, 3, 6, 7}) {
                busy += Long.parseLong(ticks[field]);
            }
            return busy / TICKS_PER_SECOND;
        } catch (IOException notLinux) {
            return 0;
        }
    }

    /** Resident memory of a process in bytes; 0 where the machine does not tell. */
    static long residentBytes(long pid) {
        try {
            for (String line : Files.readAllLines(Path.of("/proc/" + pid + "/status"))) {
                if (line.startsWith("VmRSS:")) {
                    return Long.parseLong(line.replaceAll("\\D", "")) * BYTES_PER_KB;
                }
            }
        } catch (IOException gone) {
            return 0;
        }
        return 0;
    }
}
