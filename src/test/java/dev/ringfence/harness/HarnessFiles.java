package dev.ringfence.harness;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Set;

/** Where the build put things, and copying of directories. */
final class HarnessFiles {
    private HarnessFiles() {}

    /** A directory under {@code target/} for what test runs leave behind. */
    static Path work() {
        return path("ringfence.it.work", "target/it");
    }

    /** The provisioned WildFly. */
    static Path wildfly() {
        return path("ringfence.it.server", "target/server");
    }

    /** Payara as it was unpacked. */
    static Path payara() {
        return path("ringfence.it.payara", "target/payara/payara6");
    }

    /** Where domains of Payara are made. */
    static Path payaraDomains() {
        return payara().resolveSibling("domains");
    }

    /** The PostgreSQL driver. */
    static Path driver() {
        return path("ringfence.it.driver", "target/server-content/modules/org/postgresql/main/postgresql.jar");
    }

    /** The project's own directory. */
    static Path project() {
        return path("basedir", "");
    }

    /** The WAR of this build. */
    static Path war() {
        return path("ringfence.it.war", "target/ringfence.war");
    }

    private static Path path(String property, String otherwise) {
        return Path.of(System.getProperty(property, otherwise)).toAbsolutePath().normalize();
    }

    /** Copies a directory, but for the direct children named in {@code without}. */
    static void copy(Path from, Path to, Set<String> without) throws IOException {
        Files.walkFileTree(from, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult preVisitDirectory(Path directory, BasicFileAttributes attributes)
                    throws IOException {
                if (without.contains(from.relativize(directory).toString())) {
                    return FileVisitResult.SKIP_SUBTREE;
                }
                Files.createDirectories(to.resolve(from.relativize(directory)));
                return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
                Files.copy(
                        file,
                        to.resolve(from.relativize(file)),
                        StandardCopyOption.REPLACE_EXISTING,
                        StandardCopyOption.COPY_ATTRIBUTES);
                return FileVisitResult.CONTINUE;
            }
        });
    }

    /** Deletes a directory with all it holds; nothing where it is absent. */
    static void delete(Path directory) throws IOException {
        if (!Files.exists(directory)) {
            return;
        }
        Files.walkFileTree(directory, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
                Files.delete(file);
                return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult postVisitDirectory(
                    Path visited, @org.jspecify.annotations.Nullable IOException error) throws IOException {
                Files.delete(visited);
                return FileVisitResult.CONTINUE;
            }
        });
    }
}
