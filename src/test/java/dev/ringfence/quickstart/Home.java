package dev.ringfence.quickstart;

import java.io.IOException;
import java.io.Reader;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Locale;
import java.util.Optional;
import java.util.Properties;
import java.util.function.Supplier;

/**
 * The directory that outlives a start: the database's files and what the demo must remember, the keys above all (the server
 * keeps only their hashes). One quick start at a time uses it.
 */
final class Home implements AutoCloseable {
    private final Path directory;
    private final Path stateFile;
    private final Properties state;
    private final FileChannel channel;

    private Home(Path directory, Path stateFile, Properties state, FileChannel channel) {
        this.directory = directory;
        this.stateFile = stateFile;
        this.state = state;
        this.channel = channel;
    }

    /** Takes the directory, or refuses where another process has it. */
    static Home open(Options options) {
        Path directory = options.home();
        try {
            Files.createDirectories(directory);
            FileChannel channel =
                    FileChannel.open(directory.resolve("lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
            if (!locked(channel)) {
                channel.close();
                throw new Refused("A quick start already runs on " + directory
                        + ": stop it with Ctrl-C, or start another with -Dringfence.home= and -Dringfence.port=.");
            }
            Path file = directory.resolve(stateName(options));
            return new Home(directory, file, read(file), channel);
        } catch (IOException e) {
            throw new Refused("Cannot use " + directory + ": " + e.getMessage());
        }
    }

    private static boolean locked(FileChannel channel) throws IOException {
        try {
            FileLock lock = channel.tryLock();
            return lock != null;
        } catch (OverlappingFileLockException e) {
            return false;
        }
    }

    /** Each database has its own memory: keys of one are worth nothing in another. */
    private static String stateName(Options options) {
        return options.databaseUrl()
                        .map(url ->
                                "demo-" + url.replaceAll("[^A-Za-z0-9]+", "-").toLowerCase(Locale.ROOT))
                        .orElse("demo")
                + ".properties";
    }

    private static Properties read(Path file) throws IOException {
        Properties properties = new Properties();
        if (Files.exists(file)) {
            try (Reader reader = Files.newBufferedReader(file)) {
                properties.load(reader);
            }
        }
        return properties;
    }

    Path path(String name) {
        return directory.resolve(name);
    }

    Optional<String> find(String key) {
        return Optional.ofNullable(state.getProperty(key));
    }

    /** The remembered value, else a new one that is remembered from now on. */
    String remember(String key, Supplier<String> first) {
        return find(key).orElseGet(() -> {
            String value = first.get();
            put(key, value);
            return value;
        });
    }

    void put(String key, String value) {
        state.setProperty(key, value);
        try {
            write();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Written beside and moved over, so that a crash leaves the old or the new one; readable by the owner alone. */
    private void write() throws IOException {
        Path next = stateFile.resolveSibling(stateFile.getFileName() + ".new");
        Files.deleteIfExists(next);
        if (next.getFileSystem().supportedFileAttributeViews().contains("posix")) {
            Files.createFile(next, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
        }
        try (Writer writer = Files.newBufferedWriter(next)) {
            state.store(writer, "Keys of the demo. Not for production.");
        }
        Files.move(next, stateFile, StandardCopyOption.REPLACE_EXISTING, StandardCopyOption.ATOMIC_MOVE);
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }
}
