package io.thermocline.benchmarks.runner;

import java.nio.file.Path;

/**
 * Where a run keeps its files.
 *
 * @param module directory of the benchmarks module
 * @param scratch directory for data and logs; removed by whoever made it
 */
record RunDirectory(Path module, Path scratch) {

    Path data(String system) {
        return scratch.resolve("data").resolve(system);
    }

    Path logs() {
        return scratch.resolve("logs");
    }
}
