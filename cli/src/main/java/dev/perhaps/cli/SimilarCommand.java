package dev.perhaps.cli;

import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code perhaps similar}: which documents are like this one? */
@Command(
        name = "similar",
        description = {"Which documents are like this one? Builds indexes of documents, and asks them.", ""},
        subcommands = {SimilarBuild.class, SimilarAdd.class, SimilarQuery.class, SimilarRemove.class, SimilarInfo.class
        },
        mixinStandardHelpOptions = true,
        synopsisSubcommandLabel = "COMMAND")
final class SimilarCommand implements Runnable {
    @Spec
    @SuppressWarnings("NullAway.Init") // set by picocli
    private CommandSpec spec;

    @Override
    public void run() {
        throw new ParameterException(spec.commandLine(), "say what to do with an index, as in 'perhaps similar build'");
    }
}
