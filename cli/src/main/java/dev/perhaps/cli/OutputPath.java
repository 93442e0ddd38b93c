package dev.perhaps.cli;

import dev.perhaps.cli.input.Input;
import java.nio.file.Path;
import picocli.CommandLine.ITypeConverter;

/** Where to write: a file, a device, a pipe, or {@code -} for standard output. */
final class OutputPath implements ITypeConverter<Path> {
    @Override
    public Path convert(String text) {
        return Path.of(text.equals(Input.STANDARD) ? "/dev/stdout" : text);
    }
}
