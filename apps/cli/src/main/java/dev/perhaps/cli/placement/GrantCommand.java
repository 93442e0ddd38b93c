package dev.perhaps.cli.placement;

import dev.perhaps.chord.cluster.ClusterSecret;
import dev.perhaps.cli.console.ExitCodes;
import dev.perhaps.cli.input.BadInput;
import dev.perhaps.cli.options.Output;
import dev.perhaps.web.Role;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code perhaps grant}: makes a secret for a client or an operator of a ring, with which it cannot act as a peer. */
@Command(
        name = "grant",
        description = {
            "Writes a secret for one client or operator of a ring of peers.",
            "It is derived from the cluster's secret. A client puts, gets, names and deletes files, and views the"
                    + " ring. An operator may also give up peers (ring --forget). Neither can act as a peer. Peers need no"
                    + " list of them; to revoke one, name its holder in the file of 'peer --revoked' of every peer.",
            ""
        },
        footer = {
            "",
            "Examples:",
            "  perhaps grant --secret-file secret --name alice -o alice.secret",
            "  perhaps put --via 10.0.0.7:7001 --secret-file alice.secret report.pdf"
        },
        mixinStandardHelpOptions = true)
public final class GrantCommand implements Callable<Integer> {
    private static final String DEFAULT_ROLE = "client";

    @Option(
            names = "--secret-file",
            paramLabel = "FILE",
            required = true,
            description = "A file with the cluster's secret.")
    @SuppressWarnings("NullAway.Init") // required
    private Path secretFile;

    @Option(
            names = "--role",
            paramLabel = "ROLE",
            defaultValue = DEFAULT_ROLE,
            description = "client or operator (default: " + DEFAULT_ROLE + ").")
    private Role role = Role.CLIENT;

    @Option(
            names = "--name",
            paramLabel = "NAME",
            required = true,
            description =
                    "Who gets it: 1 to 64 letters, digits, '.', '_' and '-'. Each holder needs a different " + "name.")
    @SuppressWarnings("NullAway.Init") // required
    private String name;

    @Option(
            names = {"-o", "--output"},
            paramLabel = "FILE",
            required = true,
            description = "Write it here, for the owner only.")
    @SuppressWarnings("NullAway.Init") // required
    private Output output;

    @Override
    public Integer call() throws IOException {
        if (role == Role.PEER) {
            throw new BadInput("--role is client or operator: a peer needs the cluster's own secret");
        }
        output.check();
        byte[] line = (ClusterSecret.read(secretFile).grant(role, name).text() + "\n").getBytes(StandardCharsets.UTF_8);
        try {
            createPrivate(output.path());
        } catch (FileAlreadyExistsException e) {
            throw new BadInput(output + ": the file already exists: name another one");
        }
        Files.write(output.path(), line);
        return ExitCodes.DONE;
    }

    /** Who may read it is decided before there is anything to read. */
    private static void createPrivate(Path file) throws IOException {
        if (file.getFileSystem().supportedFileAttributeViews().contains("posix")) {
            Files.createFile(file, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
        } else {
            Files.createFile(file);
        }
    }
}
