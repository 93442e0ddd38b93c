package dev.perhaps.cli.placement;

import dev.perhaps.chord.Id;
import dev.perhaps.chord.store.FileClient;
import dev.perhaps.cli.input.BadInput;
import java.io.IOException;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Which file of a ring is meant: by its id, or by its name. */
final class FileChoice {
    @Parameters(paramLabel = "ID", arity = "0..1", description = "The id that 'put' printed, 40 digits.")
    private @Nullable String id;

    @Option(names = "--name", paramLabel = "NAME", description = "The name that it was put under.")
    private @Nullable String name;

    /** Refuses invalid arguments before any request is sent. */
    void check() {
        if ((id == null) == (name == null)) {
            throw new BadInput("give either the ID of a file or its --name");
        }
        if (id != null) {
            Id unused = Id.fromHex(id);
        }
    }

    Optional<String> name() {
        return Optional.ofNullable(name);
    }

    /** Returns the id of the file; empty if there is no file with this name. */
    Optional<Id> id(FileClient client) throws IOException {
        return name != null ? client.named(name) : Optional.ofNullable(id).map(Id::fromHex);
    }

    @Override
    public String toString() {
        return name != null ? "the name '" + name + "'" : "the file " + id;
    }
}
