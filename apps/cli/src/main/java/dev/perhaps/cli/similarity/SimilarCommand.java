package dev.perhaps.cli.similarity;

import dev.perhaps.cli.options.InfoCommand;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code perhaps similar}: which documents are similar? */
@Command(
        name = "similar",
        description = {"Which documents are similar? Builds and queries indexes of documents.", ""},
        subcommands = {SimilarBuild.class, SimilarAdd.class, SimilarQuery.class, SimilarRemove.class, InfoCommand.class
        },
        mixinStandardHelpOptions = true,
        synopsisSubcommandLabel = "COMMAND")
public final class SimilarCommand implements Runnable {
    @Spec
    @SuppressWarnings("NullAway.Init") // set by picocli
    private CommandSpec spec;

    @Override
    public void run() {
        throw new ParameterException(spec.commandLine(), "a command is missing, as in 'perhaps similar build'");
    }
}
