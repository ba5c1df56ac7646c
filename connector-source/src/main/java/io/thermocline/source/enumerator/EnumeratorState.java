package io.thermocline.source.enumerator;

import io.thermocline.source.split.ThermoclineSplit;
import io.thermocline.unionread.plan.Claim;
import io.thermocline.unionread.plan.Startup;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What the coordinator remembers. Splits that were handed out are in the readers' state.
 *
 * @param tableId the table that is read
 * @param startup where the read started; a restore never changes it
 * @param planned whether the read was planned: then it is not planned again, even if no split is
 *     left
 * @param pending splits that were not handed out
 * @param unreadStates ids of the splits whose state (lake rows, key index) is not read to its end
 * @param claim what the readers still need; null if nothing
 */
public record EnumeratorState(
        String tableId,
        Startup startup,
        boolean planned,
        List<ThermoclineSplit> pending,
        Set<String> unreadStates,
        @Nullable Claim claim) {

    public EnumeratorState {
        pending = List.copyOf(pending);
        unreadStates = Set.copyOf(unreadStates);
    }
}
