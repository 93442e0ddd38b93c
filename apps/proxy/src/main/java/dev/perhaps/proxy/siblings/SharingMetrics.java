package dev.perhaps.proxy.siblings;

import dev.perhaps.proxy.sharing.Holdings;
import dev.perhaps.proxy.sharing.SiblingView;
import dev.perhaps.web.metrics.Metrics;

/** What the metrics of a proxy show of its digest and of its siblings. */
final class SharingMetrics {
    private SharingMetrics() {}

    /** The figures of the digest that this proxy publishes. */
    static void ofDigest(Metrics.Group<?> group, Holdings holdings, DigestPage page) {
        group.gauge("perhaps_proxy_digest_version", "Version of the digest published.", now -> holdings.version())
                .gauge("perhaps_proxy_digest_bits", "Bits of the digest.", now -> holdings.bits())
                .counter(
                        "perhaps_proxy_digest_growths_total",
                        "Times the digest was rebuilt with a larger size.",
                        now -> holdings.growths())
                .counter("perhaps_proxy_digests_sent_total", "Digests sent to siblings.", now -> page.sent())
                .counter("perhaps_proxy_digest_sent_bytes_total", "Bytes of them.", now -> page.sentBytes());
    }

    /** Returns the metrics of one sibling, to be closed when it is no longer a sibling. */
    static Metrics.Group<SiblingView.Report> of(SiblingView view, Metrics metrics) {
        Metrics.Label name = Metrics.label("sibling", view.name());
        return metrics.group(() -> view.report(System.nanoTime()))
                .counter(
                        "perhaps_proxy_sibling_hits_total", "Pages that a sibling had.", SiblingView.Report::hits, name)
                .counter(
                        "perhaps_proxy_sibling_false_hits_total",
                        "Pages that its digest perhaps had and it did not.",
                        report -> report.falseHits() + report.unsettled(),
                        name)
                .counter(
                        "perhaps_proxy_sibling_stale_hits_total",
                        "Pages that it did not have any more.",
                        SiblingView.Report::staleHits,
                        name)
                .counter(
                        "perhaps_proxy_sibling_failures_total",
                        "Times that it could not be asked.",
                        SiblingView.Report::failures,
                        name)
                .counter(
                        "perhaps_proxy_sibling_bytes_total",
                        "Bytes of pages that came from it, saved at the origin.",
                        SiblingView.Report::bytes,
                        name)
                .counter(
                        "perhaps_proxy_digests_received_total",
                        "Digests received from it.",
                        SiblingView.Report::digests,
                        name)
                .counter(
                        "perhaps_proxy_digest_received_bytes_total",
                        "Bytes of them.",
                        SiblingView.Report::digestBytes,
                        name)
                .counter(
                        "perhaps_proxy_digests_refused_total",
                        "Digests of it that were refused.",
                        SiblingView.Report::digestsRefused,
                        name)
                .gauge("perhaps_proxy_sibling_down", "1 if it is out of use.", report -> report.down() ? 1 : 0, name);
    }
}
