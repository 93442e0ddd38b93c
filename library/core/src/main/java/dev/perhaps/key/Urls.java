package dev.perhaps.key;

import java.util.List;
import java.util.Objects;

/**
 * Hashes a URL in the canonical form of safe-browsing lists: all spellings of an address have one hash. A list names
 * hosts and folders as well as pages, so look up all {@linkplain #expressions expressions} of a URL, at most 30: it is
 * perhaps on the list if any of them is. Immutable and thread-safe.
 *
 * <pre>{@code
 * BloomFilter<String> list = BloomFilter.expecting(1_000_000).of(Key.urls()).build();
 * list.add("evil.example/");
 * boolean warn = Urls.expressions("http://www.evil.example/a?b=c").stream().anyMatch(list::mightContain);
 * }</pre>
 */
public final class Urls implements Key<String> {
    /*
     * What is hashed is the URL's first expression, host + path + query without the scheme, as UTF-8 (it is ASCII by
     * then). An expression is its own canonical form, so a list's entry and the expression that finds it agree. (Not
     * where a suffix of a name is an address in short, as 1.2 of www.1.2; such names do not exist.)
     *
     *     http://user@a.b.c:80/1/2.html?x=1#top  →  a.b.c/1/2.html?x=1   b.c/1/2.html?x=1     hosts: itself, and up to 4
     *                                               a.b.c/1/2.html       b.c/1/2.html         suffixes of its last five
     *                                               a.b.c/               b.c/                 labels, never the last
     *                                               a.b.c/1/             b.c/1/               label alone
     *
     * Paths: with the query, without it, and the first four folders from the root. An IP address has no suffixes. Form
     * and expressions are those of "URLs and Hashing" of the Safe Browsing API, version 4 [1], and for IPv6 addresses
     * of version 5 [2]. There an expression is hashed with SHA-256; here with the hash of all keys, because it is the
     * filter and not the hash that keeps the list short.
     *
     * [1] developers.google.com/safe-browsing/v4/urls-hashing
     * [2] developers.google.com/safe-browsing/reference/URLs.and.Hashing
     */
    /** The largest number of expressions that one URL has: 5 host suffixes times 6 path prefixes. */
    public static final int MAX_EXPRESSIONS = 30;

    static final String NAME = "urls";
    static final Urls DEFAULT = new Urls(Key.strings());

    private final Key<String> strings;

    private Urls(Key<String> strings) {
        this.strings = strings;
    }

    /** {@inheritDoc} The value is an entry of a list or one expression; its host and folders are not considered. */
    @Override
    public long hash(String url) {
        return strings.hash(
                Url.parse(Objects.requireNonNull(url, KeyName.NO_VALUE)).exact());
    }

    /**
     * Hashes the expressions of a URL.
     *
     * @param into receives the hashes from index 0 on; {@link #MAX_EXPRESSIONS} elements are always enough
     * @return the number of hashes
     */
    public int hashes(String url, long[] into) {
        List<String> expressions = expressions(url);
        if (into.length < expressions.size()) {
            throw new IllegalArgumentException(
                    expressions.size() + " expressions need room for as many hashes, got " + into.length);
        }
        for (int i = 0; i < expressions.size(); i++) {
            into[i] = strings.hash(expressions.get(i));
        }
        return expressions.size();
    }

    /**
     * Returns the canonical form: {@code http://host/path?query}.
     *
     * @throws IllegalArgumentException if the URL has no host
     */
    public static String canonical(String url) {
        return Url.parse(url).canonical();
    }

    /**
     * Returns all entries of a list that would cover this URL, the longest host and path first.
     *
     * @throws IllegalArgumentException if the URL has no host
     */
    public static List<String> expressions(String url) {
        return Url.parse(url).expressions();
    }

    /**
     * Returns a URL that is given as bytes in any encoding as text: bytes that are not ASCII become percent-escapes.
     */
    public static String text(byte[] bytes, int from, int to) {
        StringBuilder text = new StringBuilder(to - from);
        for (int i = from; i < to; i++) {
            Url.appendEscaped(text, (char) (bytes[i] & 0xFF), bytes[i] < 0);
        }
        return text.toString();
    }

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public long seed() {
        return strings.seed();
    }

    @Override
    public Urls seeded(long seed) {
        return new Urls(strings.seeded(seed));
    }

    @Override
    public String toString() {
        return NAME;
    }
}
