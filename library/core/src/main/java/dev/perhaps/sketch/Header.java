package dev.perhaps.sketch;

/**
 * The header of a file, which is read without its content: {@code Perhaps.look(file)}.
 *
 * @param kind the kind of structure
 * @param version the version of the kind's layout
 * @param keyName the name of the key that it was written with
 * @param seed the seed of that key
 * @param salt the salt of the structure, 0 if it has none
 * @param fileBytes the length of the whole file in bytes
 */
public record Header(Kind kind, int version, String keyName, long seed, int salt, long fileBytes) {}
