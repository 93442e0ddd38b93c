package dev.perhaps.key;

/** What the keys of numbers share: a name, a seed and the permutation that the seed gives. */
abstract class NumberKey<T> implements Key.Stored<T> {
    private final String name;
    private final long seed;

    final Mixer mixer;

    NumberKey(String name, long seed) {
        this.name = name;
        this.seed = seed;
        this.mixer = new Mixer(seed);
    }

    @Override
    public final String name() {
        return name;
    }

    @Override
    public final long seed() {
        return seed;
    }

    @Override
    public final String toString() {
        return name;
    }
}
