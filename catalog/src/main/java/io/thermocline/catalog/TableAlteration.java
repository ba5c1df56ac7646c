package io.thermocline.catalog;

import io.thermocline.catalog.option.TableOptionRules;
import io.thermocline.lake.LakeTableDefinition;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.flink.table.api.ValidationException;
import org.apache.flink.table.catalog.CatalogBaseTable;
import org.apache.flink.table.catalog.ObjectPath;
import org.apache.flink.table.catalog.TableChange;

/** ALTER TABLE: which changes are possible, and how they are written into the lake's definition. */
final class TableAlteration {

    /** Option by which a lake's catalog changes the comment of a table. */
    private static final String COMMENT = "comment";

    private final TableOptionRules rules;

    TableAlteration(TableOptionRules rules) {
        this.rules = rules;
    }

    /**
     * The changes of the lake table that belong to changes of a table with a hot tier.
     *
     * @param current the table as it is
     * @throws ValidationException if one of the changes is not possible; then none must be made
     */
    List<TableChange> changesOfHotTable(
            ObjectPath path, CatalogBaseTable current, List<TableChange> changes) {
        List<TableChange> ofLake = new ArrayList<>();
        Map<String, String> ours = new TreeMap<>();
        for (TableChange change : changes) {
            if (change instanceof TableChange.SetOption set) {
                if (isOurs(path, set.getKey())) {
                    ours.put(set.getKey(), set.getValue());
                    ofLake.add(TableChange.set(stored(set.getKey()), set.getValue()));
                } else {
                    ofLake.add(change);
                }
            } else if (change instanceof TableChange.ResetOption reset) {
                if (isOurs(path, reset.getKey())) {
                    ofLake.add(TableChange.reset(stored(reset.getKey())));
                } else {
                    ofLake.add(change);
                }
            } else if (change instanceof TableChange.ModifyColumnComment) {
                ofLake.add(change);
            } else {
                throw new ValidationException(
                        ("cannot %s of table %s: the columns and keys of a table with a hot tier are"
                                        + " fixed at CREATE TABLE. Options and comments can change.")
                                .formatted(describe(change), path.getFullName()));
            }
        }
        checkTogether(path, current, changes, ours);
        return ofLake;
    }

    /** Checks changes of a plain lake table; the lake decides about the rest. */
    void checkPlainTable(ObjectPath path, List<TableChange> changes) {
        for (TableChange change : changes) {
            if (change instanceof TableChange.SetOption set && !set.getKey().equals(COMMENT)) {
                rules.checkOptionOfPlainTable(path, set.getKey());
            }
        }
    }

    private boolean isOurs(ObjectPath path, String key) {
        return !key.equals(COMMENT) && rules.checkChangeable(path, key);
    }

    // Options limit each other, so that they are checked as they will be afterwards.
    private void checkTogether(
            ObjectPath path,
            CatalogBaseTable current,
            List<TableChange> changes,
            Map<String, String> set) {
        Map<String, String> after = new TreeMap<>(rules.hotOptions(current.getOptions()));
        for (TableChange change : changes) {
            if (change instanceof TableChange.ResetOption reset) {
                after.remove(reset.getKey());
            }
        }
        after.putAll(set);
        rules.checkValues(path, after);
        TableOptionRules.checkPrimaryKey(
                path, after, current.getUnresolvedSchema().getPrimaryKey().isPresent());
    }

    private static String stored(String key) {
        return LakeTableDefinition.OPTION_PREFIX + key;
    }

    private static String describe(TableChange change) {
        if (change instanceof TableChange.AddColumn add) {
            return "add column '" + add.getColumn().getName() + "'";
        }
        if (change instanceof TableChange.DropColumn drop) {
            return "drop column '" + drop.getColumnName() + "'";
        }
        if (change instanceof TableChange.ModifyColumnName rename) {
            return "rename column '" + rename.getOldColumnName() + "'";
        }
        if (change instanceof TableChange.ModifyPhysicalColumnType type) {
            return "change the type of column '" + type.getOldColumn().getName() + "'";
        }
        if (change instanceof TableChange.ModifyColumnPosition position) {
            return "change the position of column '" + position.getOldColumn().getName() + "'";
        }
        if (change instanceof TableChange.ModifyColumn modify) {
            return "change column '" + modify.getOldColumn().getName() + "'";
        }
        if (change instanceof TableChange.AddWatermark
                || change instanceof TableChange.ModifyWatermark
                || change instanceof TableChange.DropWatermark) {
            return "change the watermark";
        }
        if (change instanceof TableChange.AddUniqueConstraint
                || change instanceof TableChange.ModifyUniqueConstraint
                || change instanceof TableChange.DropConstraint) {
            return "change the primary key";
        }
        if (change instanceof TableChange.AddDistribution
                || change instanceof TableChange.ModifyDistribution
                || change instanceof TableChange.DropDistribution) {
            return "change the distribution";
        }
        return "make the change " + change.getClass().getSimpleName();
    }
}
