package dev.perhaps.proxy.cache;

import dev.perhaps.proxy.http.Headers;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The stored responses of one URL, one per variant (RFC 9111, section 4.1), the newest first. Immutable. */
record Page(List<Copy> copies) {
    private static final int MAX_COPIES = 16;

    @Nullable
    Copy find(Supplier<Headers> request) {
        for (int i = 0; i < copies.size(); i++) {
            Copy copy = copies.get(i);
            if (copy.vary().names().isEmpty() || copy.fits(request.get())) {
                return copy;
            }
        }
        return null;
    }

    /**
     * With this one in place of those that response the same requests, and of the one that it renews; the oldest gives way if
     * there are too many.
     */
    Page with(Copy copy) {
        List<Copy> all = new ArrayList<>();
        all.add(copy);
        for (Copy each : copies) {
            boolean same = each.body() == copy.body()
                    || each.vary().equals(copy.vary()) && each.selected().equals(copy.selected());
            if (!same && all.size() < MAX_COPIES) {
                all.add(each);
            }
        }
        return new Page(List.copyOf(all));
    }

    int weight(String key) {
        long bytes = 2L * key.length();
        for (Copy copy : copies) {
            bytes += copy.sizeBytes();
        }
        return (int) Math.min(Integer.MAX_VALUE, bytes);
    }
}
