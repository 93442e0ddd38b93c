package dev.perhaps.bench;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.invoke.MethodHandles;
import java.lang.reflect.Constructor;
import java.util.Arrays;

/** Loads a contender's class once more for every row, so that each row's loops are compiled for that row alone. */
public final class FreshClass {
    /*
     * The compiler inlines a virtual call by the types it has seen at that place in the bytecode. A loop shared by two
     * filters has seen two types; a loop shared by three has seen too many and makes virtual calls, which costs 3 ns or
     * more per operation that a user with one kind of filter does not pay. A hidden class has its own bytecode and
     * therefore its own profile.
     *
     * The class must be self-contained: a copy is not a nest mate of the enclosing class and cannot see its private
     * members, and it cannot use lambdas, whose bytecode refers to the original class by name.
     */
    private static final MethodHandles.Lookup LOOKUP = MethodHandles.lookup();

    private FreshClass() {}

    /**
     * Returns a maker of a fresh copy of {@code loops}.
     *
     * @param first the first arguments of its only constructor; the last one is the number of items
     */
    public static <K> Maker<K> of(Class<? extends Contender<K>> loops, Object... first) {
        Constructor<?> constructor;
        try (InputStream in = loops.getResourceAsStream(
                loops.getName().substring(loops.getPackageName().length() + 1) + ".class")) {
            if (in == null) {
                throw new IllegalStateException("the class file of " + loops.getName() + " is not there");
            }
            Class<?> copy = MethodHandles.privateLookupIn(loops, LOOKUP)
                    .defineHiddenClass(in.readAllBytes(), true)
                    .lookupClass();
            constructor = copy.getDeclaredConstructors()[0];
            constructor.setAccessible(true); // of a package below
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (IllegalAccessException e) {
            throw new IllegalStateException(e);
        }
        return items -> make(constructor, first, items);
    }

    @SuppressWarnings("unchecked") // a copy implements what the class it was copied from implements
    private static <K> Contender<K> make(Constructor<?> constructor, Object[] first, int items) {
        Object[] all = Arrays.copyOf(first, first.length + 1);
        all[first.length] = items;
        try {
            return (Contender<K>) constructor.newInstance(all);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(constructor.getDeclaringClass().getName() + " cannot be made", e);
        }
    }

    /** Makes an empty contender for this number of items. */
    @FunctionalInterface
    public interface Maker<K> {
        public Contender<K> make(int items);
    }
}
