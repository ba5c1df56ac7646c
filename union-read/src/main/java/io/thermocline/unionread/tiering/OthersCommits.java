package io.thermocline.unionread.tiering;

import io.thermocline.hotstore.LakeMark;
import io.thermocline.lake.ForeignCommit;
import io.thermocline.lake.LakeSnapshot;
import io.thermocline.lake.LakeTable;
import io.thermocline.lake.TieredState;
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
        long after = after(lake, tiered, newest);
        return new OthersCommits(lake.foreignCommits(after, newest.snapshotId()), after, newest);
    }

    private static long after(LakeTable lake, LakeSnapshot tiered, LakeSnapshot newest) {
        if (!lake.definition().primaryKey().isEmpty()) {
            return tiered.snapshotId();
        }
        Long absorbed = tiered.tieredState().absorbedSnapshotId();
        if (absorbed == null) {
            // a version that took nothing over: streams of its time have these rows from the lake
            return newest.snapshotId();
        }
        return absorbed == TieredState.THIS_SNAPSHOT ? tiered.snapshotId() : absorbed;
    }

    Set<Long> ids() {
        return commits.stream().map(ForeignCommit::snapshotId).collect(Collectors.toSet());
    }

    /** Mark of records that come from all of them together. */
    LakeMark mark() {
        return mark(commits.get(commits.size() - 1));
    }

    /** Mark of records that come from a commit. */
    static LakeMark mark(ForeignCommit commit) {
        return new LakeMark(commit.snapshotId(), commit.sequence(), commit.commitMillis());
    }
}
