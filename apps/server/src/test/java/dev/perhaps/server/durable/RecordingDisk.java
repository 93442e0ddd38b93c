package dev.perhaps.server.durable;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * A disk in memory that records what was done to it, and builds the disks that a crash may leave: everything that was synced,
 * and of the rest nothing, all, or a part, torn anywhere and with holes. A disk may also be full, or fail to sync.
 */
final class RecordingDisk implements Disk {
    /** Something that was done. */
    sealed interface Event {}

    record Created(String name, int file) implements Event {}

    @SuppressWarnings("ArrayRecordComponent")
    record Wrote(int file, byte[] bytes) implements Event {}

    record Synced(int file) implements Event {}

    record Renamed(String from, String to, int file) implements Event {}

    record Deleted(String name) implements Event {}

    record NamesSynced() implements Event {}

    /** What the test says: changes up to this one were begun, and up to this one must survive. */
    record Said(int begun, int kept) implements Event {}

    private final List<Event> events = new ArrayList<>();
    private final Map<String, Integer> names = new TreeMap<>();
    private final List<ByteArrayOutputStream> files = new ArrayList<>();
    private long freeBytes = Long.MAX_VALUE;
    private boolean failsToSync;
    private Consumer<String> onCreate = name -> {};
    private volatile CountDownLatch atGate = new CountDownLatch(0);
    private volatile CountDownLatch gate = new CountDownLatch(0);

    RecordingDisk() {}

    /** A disk with these files, all of them synced. */
    RecordingDisk(Map<String, byte[]> content) {
        content.forEach((name, bytes) -> {
            names.put(name, files.size());
            ByteArrayOutputStream file = new ByteArrayOutputStream();
            file.writeBytes(bytes);
            events.add(new Created(name, files.size()));
            events.add(new Wrote(files.size(), bytes));
            events.add(new Synced(files.size()));
            files.add(file);
        });
        events.add(new NamesSynced());
    }

    /** A disk after these events, if only the process has ended and the system goes on: nothing is lost, nothing is synced. */
    RecordingDisk(List<Event> past) {
        for (Event event : past) {
            if (event instanceof Created made) {
                names.put(made.name, made.file);
                files.add(new ByteArrayOutputStream());
            } else if (event instanceof Wrote wrote) {
                files.get(wrote.file).writeBytes(wrote.bytes);
            } else if (event instanceof Renamed renamed) {
                names.remove(renamed.from);
                names.put(renamed.to, renamed.file);
            } else if (event instanceof Deleted deleted) {
                names.remove(deleted.name);
            }
            events.add(event);
        }
    }

    synchronized void freeBytes(long bytes) {
        freeBytes = bytes;
    }

    synchronized void failsToSync(boolean fails) {
        failsToSync = fails;
    }

    synchronized void say(int begun, int kept) {
        events.add(new Said(begun, kept));
    }

    synchronized List<Event> events() {
        return List.copyOf(events);
    }

    /** All files as they are now. */
    synchronized Map<String, byte[]> content() {
        Map<String, byte[]> content = new TreeMap<>();
        names.forEach((name, file) -> content.put(name, files.get(file).toByteArray()));
        return content;
    }

    @Override
    public synchronized List<String> names() {
        return List.copyOf(names.keySet());
    }

    private ByteArrayOutputStream file(String name) throws IOException {
        Integer file = names.get(name);
        if (file == null) {
            throw new FileNotFoundException(name);
        }
        return files.get(file);
    }

    @Override
    public synchronized long length(String name) throws IOException {
        return file(name).size();
    }

    @Override
    public synchronized InputStream read(String name, long position) throws IOException {
        byte[] bytes = file(name).toByteArray();
        return new ByteArrayInputStream(bytes, (int) position, bytes.length - (int) position);
    }

    /** Calls this with the name of each file that has been created. */
    void onCreate(Consumer<String> listener) {
        onCreate = listener;
    }

    /** Lets snapshots begin and not go on, until {@link #openGate}. */
    void closeGate() {
        atGate = new CountDownLatch(1);
        gate = new CountDownLatch(1);
    }

    void awaitGate() throws InterruptedException {
        if (!atGate.await(60, TimeUnit.SECONDS)) {
            throw new IllegalStateException("no snapshot has begun");
        }
    }

    void openGate() {
        gate.countDown();
    }

    @Override
    public Output create(String name) {
        if (name.startsWith(LogFiles.SNAPSHOT)) {
            atGate.countDown();
            boolean isOpen = false;
            while (!isOpen) {
                try {
                    isOpen = gate.await(60, TimeUnit.SECONDS);
                } catch (InterruptedException e) {
                    throw new IllegalStateException(e);
                }
            }
        }
        Output made = createNow(name);
        onCreate.accept(name);
        return made;
    }

    private synchronized Output createNow(String name) {
        int number = files.size();
        ByteArrayOutputStream file = new ByteArrayOutputStream();
        files.add(file);
        names.put(name, number);
        events.add(new Created(name, number));
        return new Output() {
            @Override
            public void write(ByteBuffer bytes) throws IOException {
                synchronized (RecordingDisk.this) {
                    byte[] some = new byte[(int) Math.min(freeBytes, bytes.remaining())];
                    bytes.get(some);
                    if (some.length > 0) {
                        file.writeBytes(some);
                        freeBytes -= freeBytes == Long.MAX_VALUE ? 0 : some.length;
                        events.add(new Wrote(number, some));
                    }
                    if (bytes.hasRemaining()) {
                        throw new IOException("No space left on device");
                    }
                }
            }

            @Override
            public void sync() throws IOException {
                synchronized (RecordingDisk.this) {
                    if (failsToSync) {
                        throw new IOException("Input/output error");
                    }
                    events.add(new Synced(number));
                }
            }

            @Override
            public void close() {}
        };
    }

    @Override
    public synchronized void sync(String name) throws IOException {
        Integer file = names.get(name);
        if (file == null) {
            throw new FileNotFoundException(name);
        }
        events.add(new Synced(file));
    }

    @Override
    public synchronized void rename(String from, String to) throws IOException {
        Integer file = names.remove(from);
        if (file == null) {
            throw new FileNotFoundException(from);
        }
        names.put(to, file);
        events.add(new Renamed(from, to, file));
    }

    @Override
    public synchronized void delete(String name) {
        if (names.remove(name) != null) {
            events.add(new Deleted(name));
        }
    }

    @Override
    public synchronized void syncNames() {
        events.add(new NamesSynced());
    }

    @Override
    public void close() {}

    /** What a crash finds at one moment. */
    static final class Moment {
        private final Map<Integer, ByteArrayOutputStream> synced = new HashMap<>();
        private final Map<Integer, List<byte[]>> unsynced = new HashMap<>();
        private final Map<String, Integer> names = new TreeMap<>();
        private final List<Event> unsyncedNames = new ArrayList<>();
        private int begun;
        private int kept;

        /** True before the first name is on the disk. */
        boolean isEmpty() {
            return names.isEmpty();
        }

        int begun() {
            return begun;
        }

        int kept() {
            return kept;
        }

        void add(Event event) {
            if (event instanceof Wrote wrote) {
                unsynced.computeIfAbsent(wrote.file, f -> new ArrayList<>()).add(wrote.bytes);
            } else if (event instanceof Synced sync) {
                ByteArrayOutputStream file = synced.computeIfAbsent(sync.file, f -> new ByteArrayOutputStream());
                List<byte[]> parts = unsynced.remove(sync.file);
                if (parts != null) {
                    parts.forEach(file::writeBytes);
                }
            } else if (event instanceof NamesSynced) {
                unsyncedNames.forEach(each -> apply(each, names));
                unsyncedNames.clear();
            } else if (event instanceof Said said) {
                begun = said.begun;
                kept = said.kept;
            } else {
                unsyncedNames.add(event);
            }
        }

        private static void apply(Event event, Map<String, Integer> names) {
            if (event instanceof Created made) {
                names.put(made.name, made.file);
            } else if (event instanceof Renamed renamed) {
                names.remove(renamed.from);
                names.put(renamed.to, renamed.file);
            } else if (event instanceof Deleted deleted) {
                names.remove(deleted.name);
            }
        }

        /**
         * Gives all disks that a crash now may leave: every choice of names that were not synced, and for each file every choice of
         * {@link #contents}. Where these are more than {@code most}, the extremes and a random part of the others.
         */
        void disks(int most, Random random, Consumer<Map<String, byte[]>> taker) {
            int choices = 1 << Math.min(20, unsyncedNames.size());
            Set<Integer> chosen = new TreeSet<>(List.of(0, choices - 1));
            while (chosen.size() < Math.min(choices, most)) {
                chosen.add(choices <= most ? chosen.size() - 1 : random.nextInt(choices));
                if (choices <= most) {
                    for (int i = 0; i < choices; i++) {
                        chosen.add(i);
                    }
                }
            }
            for (int choice : chosen) {
                Map<String, Integer> left = new TreeMap<>(names);
                for (int i = 0; i < unsyncedNames.size(); i++) {
                    if ((choice >> Math.min(i, 20) & 1) != 0) {
                        apply(unsyncedNames.get(i), left);
                    }
                }
                files(left, most, random, taker);
            }
        }

        private void files(Map<String, Integer> left, int most, Random random, Consumer<Map<String, byte[]>> taker) {
            List<Map<String, byte[]>> all = new ArrayList<>(List.of(new TreeMap<>()));
            for (Map.Entry<String, Integer> each : left.entrySet()) {
                List<Map<String, byte[]>> longer = new ArrayList<>();
                for (byte[] content : contents(each.getValue(), random)) {
                    for (Map<String, byte[]> disk : all) {
                        Map<String, byte[]> more = new TreeMap<>(disk);
                        more.put(each.getKey(), content);
                        longer.add(more);
                    }
                }
                while (longer.size() > most) {
                    longer.remove(1 + random.nextInt(longer.size() - 2));
                }
                all = longer;
            }
            all.forEach(taker);
        }

        /** What may be in a file: what was synced, then nothing, all, a torn part, or later parts after a hole. */
        private List<byte[]> contents(int file, Random random) {
            byte[] sure = synced.containsKey(file) ? synced.get(file).toByteArray() : new byte[0];
            ByteArrayOutputStream joined = new ByteArrayOutputStream();
            unsynced.getOrDefault(file, List.of()).forEach(joined::writeBytes);
            byte[] rest = joined.toByteArray();
            List<byte[]> contents = new ArrayList<>(List.of(sure));
            if (rest.length > 0) {
                for (int i = 0; i < 3; i++) {
                    contents.add(concat(sure, Arrays.copyOf(rest, random.nextInt(rest.length))));
                }
                // The length grew, and the bytes did not arrive; or only the first or the last ones did not.
                contents.add(concat(sure, new byte[rest.length]));
                int hole = random.nextInt(rest.length);
                byte[] late = rest.clone();
                Arrays.fill(late, 0, hole, (byte) 0);
                contents.add(concat(sure, late));
                byte[] early = rest.clone();
                Arrays.fill(early, hole, rest.length, (byte) 0);
                contents.add(concat(sure, early));
                contents.add(concat(sure, rest));
            }
            return contents;
        }

        private static byte[] concat(byte[] first, byte[] second) {
            byte[] both = Arrays.copyOf(first, first.length + second.length);
            System.arraycopy(second, 0, both, first.length, second.length);
            return both;
        }
    }
}
