package dev.perhaps.proxy.sharing;

import dev.perhaps.frame.FrameReader;
import dev.perhaps.key.Key;
import dev.perhaps.membership.BloomDelta;
import dev.perhaps.membership.BloomFilter;
import dev.perhaps.sketch.FormatException;
import dev.perhaps.sketch.Kind;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * The latest digest of another cache, updated by its messages. A message is refused, and the digest stays as it is, if
 * the message is damaged, too large, of another key or seed, older than the digest, or a delta from a version that is
 * not here. One writer at a time, any number of readers.
 */
public final class DigestCopy {
    /**
     * What is here.
     *
     * @param epoch of the sender
     * @param documents it held, as it says
     * @param error at which rate the filter says "perhaps" to what it does not have, by its bits
     */
    public record State(long epoch, long version, long documents, BloomFilter<String> filter, double error) {}

    private final Key<String> key;
    private final long maxBytes;
    private volatile @Nullable State state;

    /**
     * Of a cache of which nothing is known yet.
     *
     * @param key that its digests must have
     * @param maxBytes the largest filter that is taken
     */
    public DigestCopy(Key<String> key, long maxBytes) {
        this.key = key;
        this.maxBytes = maxBytes;
    }

    public @Nullable State state() {
        return state;
    }

    /** Returns true if the digest says "perhaps" to this hash; false if there is no digest. */
    public boolean mightContainHash(long hash) {
        State now = state;
        return now != null && now.filter.mightContainHash(hash);
    }

    /** Forgets the digest: the sender was restarted, or sent something that cannot be used. */
    public synchronized void clear() {
        state = null;
    }

    /** Applies a message. Returns the share of pages in the new digest that the old one lacked, by their bits. */
    public synchronized double accept(byte[] message) throws FormatException {
        if (message.length > maxBytes + (1 << 15)) {
            throw new FormatException("the digest has " + message.length + " bytes, and at most " + maxBytes
                    + " of filter are allowed here: raise the limit or leave the sibling out");
        }
        Digest digest = Digest.parse(message);
        State now = state;
        boolean same = now != null && now.epoch == digest.epoch();
        if (now != null && same && digest.version() < now.version) {
            throw new FormatException(
                    "version " + digest.version() + " of the digest is older than version " + now.version + " here");
        }
        if (digest.form() == Digest.Form.NOTHING_NEW) {
            if (now == null || !same || digest.version() != now.version) {
                throw new FormatException("the digest says that nothing is new since version " + digest.version()
                        + ", which is not here: fetch it whole");
            }
            return 0;
        }
        BloomFilter<String> newer = filter(digest, same ? now : null);
        state = new State(digest.epoch(), digest.version(), digest.documents(), newer, newer.errorNow());
        return now == null ? 1 : fresh(now.filter, newer);
    }

    private static double fresh(BloomFilter<String> before, BloomFilter<String> newer) {
        if (!before.fits(newer)) {
            return 1;
        }
        double came = before.estimateUnion(newer) - before.estimateDistinct();
        return Math.min(1, came / Math.max(1, newer.estimateDistinct()));
    }

    private BloomFilter<String> filter(Digest digest, @Nullable State now) throws FormatException {
        ByteArrayInputStream bytes = new ByteArrayInputStream(digest.frame());
        try {
            FrameReader in = FrameReader.open(bytes, maxBytes);
            if (in.frame().kind() == Kind.BLOOM && digest.form() == Digest.Form.WHOLE) {
                BloomFilter<String> filter = BloomFilter.readFrom(in.stream(), key, maxBytes);
                atEnd(bytes);
                return filter;
            }
            if (digest.form() == Digest.Form.WHOLE) {
                in.frame(Kind.BLOOM, key);
            }
            BloomDelta<String> delta = BloomDelta.readFrom(in.stream(), key, maxBytes);
            atEnd(bytes);
            return apply(delta, digest.base(), now);
        } catch (FormatException e) {
            throw e;
        } catch (IOException e) {
            throw new FormatException("the digest cannot be read: " + e.getMessage());
        }
    }

    private BloomFilter<String> apply(BloomDelta<String> delta, long base, @Nullable State now) throws FormatException {
        if (base == 0) {
            if (delta.bits() / 8 > maxBytes) {
                throw new FormatException("the digest is of " + delta.bits() + " bits, and at most " + maxBytes
                        + " bytes of filter are allowed here: raise the limit or leave the sibling out");
            }
            return delta.applyToEmpty();
        }
        if (now == null || now.version != base) {
            throw new FormatException("the digest is a delta from version " + base + ", and here is "
                    + (now == null ? "none of its epoch" : "version " + now.version) + ": fetch it whole");
        }
        return delta.applyTo(now.filter);
    }

    private static void atEnd(ByteArrayInputStream bytes) throws FormatException {
        if (bytes.available() > 0) {
            throw new FormatException(bytes.available() + " bytes follow the frame of the digest: it is damaged");
        }
    }
}
