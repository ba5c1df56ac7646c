package io.thermocline.hotstore.local;

import io.thermocline.hotstore.ErrorCode;
import io.thermocline.hotstore.HotStoreException;
import io.thermocline.hotstore.format.FrameGroupHeader;
import io.thermocline.hotstore.format.FrameSource;
import io.thermocline.hotstore.local.file.StorageFiles;
import io.thermocline.hotstore.local.journal.EntryKind;
import io.thermocline.hotstore.local.journal.Journal;
import io.thermocline.hotstore.local.journal.JournalFile;
import io.thermocline.hotstore.local.journal.JournalPlace;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Stream;

/** Puts together what a store holds from its table directories and its journal. */
final class Recovery {

    private final StoreDirectory directory;
    private final StorageFiles files;
    private final Map<UUID, RecoveredTable> tables = new LinkedHashMap<>();
    private final Map<UUID, JournalPlace> strangers = new HashMap<>();
    private final List<JournalFile> finishedFiles = new ArrayList<>();

    Recovery(StoreDirectory directory, StorageFiles files) {
        this.directory = directory;
        this.files = files;
    }

    Map<UUID, RecoveredTable> tables() {
        return tables;
    }

    /** Journal files that are not written to any more, oldest first. */
    List<JournalFile> finishedFiles() {
        return finishedFiles;
    }

    /**
     * Reads everything.
     *
     * @return the journal, ready to be started
     */
    Journal run(Journal.Settings settings) throws IOException {
        try {
            readTables();
            Journal journal = Journal.open(settings, this::entry, finishedFiles);
            if (!strangers.isEmpty()) {
                journal.close();
                finishedFiles.forEach(file -> file.file().release());
                throw missing();
            }
            return journal;
        } catch (IOException | RuntimeException e) {
            tables.values().forEach(RecoveredTable::close);
            throw e;
        }
    }

    /** Gives back the files of journal and tables that nobody took over. */
    void closeExcept(Set<UUID> taken) {
        finishedFiles.forEach(file -> file.file().release());
        tables.forEach(
                (tableId, table) -> {
                    if (!taken.contains(tableId)) {
                        table.close();
                    }
                });
    }

    private void readTables() throws IOException {
        List<Path> paths;
        try (Stream<Path> listing = Files.list(directory.tables())) {
            paths = listing.sorted().toList();
        }
        for (Path path : paths) {
            if (Files.exists(path.resolve(TableFile.NAME))) {
                tables.put(
                        UUID.fromString(path.getFileName().toString()), RecoveredTable.read(path));
            } else {
                // The definition is written last and deleted first.
                deleteTree(path, files);
            }
        }
    }

    private void entry(
            EntryKind kind, UUID tableId, int bucket, JournalPlace place, ByteBuffer payload) {
        RecoveredTable table = tables.get(tableId);
        boolean owned = table != null && table.owns(place);
        switch (kind) {
            case DROP -> {
                strangers.remove(tableId);
                if (owned) {
                    finishDrop(tableId, table);
                }
            }
            case GROUP -> {
                if (owned) {
                    String where = place.file().file().path() + " from byte " + place.position();
                    table.add(
                            bucket,
                            FrameGroupHeader.read(FrameSource.of(payload, where), 0),
                            place);
                } else if (table == null) {
                    strangers.putIfAbsent(tableId, place);
                }
            }
        }
    }

    private void finishDrop(UUID tableId, RecoveredTable table) {
        tables.remove(tableId);
        table.close();
        try {
            deleteTree(table.directory(), files);
        } catch (IOException e) {
            throw new HotStoreException(
                    ErrorCode.STORE_FAILED,
                    "cannot delete the hot data of the dropped table "
                            + table.definition().spec().path()
                            + " in "
                            + table.directory()
                            + ": "
                            + e,
                    e);
        }
    }

    private HotStoreException missing() {
        Map.Entry<UUID, JournalPlace> first = strangers.entrySet().iterator().next();
        return new HotStoreException(
                ErrorCode.CORRUPT_CHANGELOG,
                "the directory "
                        + directory.table(first.getKey())
                        + " is missing, but "
                        + first.getValue().file().file().path()
                        + " has rows of that table at byte "
                        + first.getValue().position()
                        + ". Restore the hot directory from a copy, or remove it to start again from"
                        + " what the lake holds.");
    }

    /** Deletes a table's directory; its definition goes first, durably. */
    static void deleteTree(Path root, StorageFiles files) throws IOException {
        if (!Files.exists(root)) {
            return;
        }
        if (Files.deleteIfExists(root.resolve(TableFile.NAME))) {
            files.forceDirectory(root);
        }
        List<Path> paths;
        try (Stream<Path> walk = Files.walk(root)) {
            paths = walk.sorted(Comparator.reverseOrder()).toList();
        }
        for (Path path : paths) {
            Files.deleteIfExists(path);
        }
        files.forceDirectory(root.getParent());
    }
}
