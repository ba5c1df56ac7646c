package io.thermocline.unionread.tiering;

import io.thermocline.hotstore.LakeMark;
import io.thermocline.lake.ForeignCommit;
import io.thermocline.lake.LakeSnapshot;
import io.thermocline.lake.LakeTable;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Commits of others that a round has to do with.
 *
 * @param commits those that changed rows, oldest first
 * @param after id of the snapshot above which they are
 * @param newest snapshot up to which they are
 */
public record OthersCommits(List<ForeignCommit> commits, long after, LakeSnapshot newest) {

    public OthersCommits {
        commits = List.copyOf(commits);
    }

    /**
     * Those that no round before has taken into account.
     *
     * @param tiered newest snapshot of tiering
     */
    public static OthersCommits since(LakeTable lake, LakeSnapshot tiered) {
        return between(lake, tiered, lake.latestSnapshot().orElse(tiered));
    }

    /**
     * Those up to a snapshot that no round has taken into account.
     *
     * @param tiered newest snapshot of tiering at or below {@code newest}
     * @param newest the snapshot
     */
    public static OthersCommits between(LakeTable lake, LakeSnapshot tiered, LakeSnapshot newest) {
        Long absorbed = tiered.tieredState().absorbedSnapshotId();
        long after = absorbed == null ? tiered.snapshotId() : absorbed;
        return new OthersCommits(lake.foreignCommits(after, newest.snapshotId()), after, newest);
    }

    Set<Long> ids() {
        return commits.stream().map(ForeignCommit::snapshotId).collect(Collectors.toSet());
    }

    /** Mark of records that come from all of them together. */
    LakeMark mark() {
        ForeignCommit last = commits.get(commits.size() - 1);
        return new LakeMark(last.snapshotId(), last.sequence());
    }
}
