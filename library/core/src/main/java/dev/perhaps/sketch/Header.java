package dev.perhaps.sketch;

/**
 * What the header of a file says about its content, read without the content: {@code Perhaps.look(file)}.
 *
 * @param kind the kind of structure
 * @param version the version of the kind's layout
 * @param keyName the name of the key that it was written with
 * @param seed the seed of that key
 * @param salt the salt of the structure's own mix, 0 where it has none
 * @param fileBytes the length of the whole file
 */
public record Header(Kind kind, int version, String keyName, long seed, int salt, long fileBytes) {}
