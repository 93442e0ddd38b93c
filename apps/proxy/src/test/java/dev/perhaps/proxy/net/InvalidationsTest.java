package dev.perhaps.proxy.net;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class InvalidationsTest {
    @Test
    void knowWhatWasInvalidatedSince() {
        Invalidations invalidations = new Invalidations();
        long start = invalidations.count();
        assertThat(invalidations.contains("/a", start)).isFalse();
        invalidations.add("/a");
        assertThat(invalidations.contains("/a", start)).isTrue();
        assertThat(invalidations.contains("/b", start)).isFalse();
        long later = invalidations.count();
        invalidations.add("/b");
        assertThat(invalidations.contains("/a", later)).isFalse();
        assertThat(invalidations.contains("/b", later)).isTrue();
    }

    @Test
    void assumeTheWorstOfWhatTheyHaveForgotten() {
        Invalidations invalidations = new Invalidations();
        long start = invalidations.count();
        invalidations.add("/a");
        for (int i = 1; i < Invalidations.REMEMBERED; i++) {
            invalidations.add("/other/" + i);
        }
        assertThat(invalidations.contains("/a", start)).isTrue();
        assertThat(invalidations.contains("/b", start)).isFalse();
        invalidations.add("/one/more");
        assertThat(invalidations.contains("/b", start)).isTrue();
        assertThat(invalidations.contains("/b", start + 1)).isFalse();
    }
}
