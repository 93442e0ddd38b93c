package dev.perhaps.proxy.siblings;

import dev.perhaps.guard.Guard;
import dev.perhaps.guard.GuardReport;
import dev.perhaps.io.Figures;
import dev.perhaps.proxy.Router;
import dev.perhaps.proxy.http.Headers;
import dev.perhaps.proxy.sharing.SiblingView;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.Locale;

/** A page that draws who holds how much and whose digests are trusted. It needs no script, and nothing from elsewhere. */
public final class StatusPage implements Router.Page {
    private static final String POLICY = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'";
    private static final int BAR = 400;
    private static final int ROW = 26;
    private static final int MAX_GROUPS = 12;
    private static final String STYLE = """
            body { font: 15px/1.4 system-ui, sans-serif; margin: 2em; color: #222; background: #fff }
            table { border-collapse: collapse; margin: 1em 0 }
            td, th { padding: .25em .7em; text-align: right; border-bottom: 1px solid #ddd }
            td { white-space: nowrap }
            td:first-child, th:first-child { text-align: left }
            .never { color: #b00020 } .consult { color: #0b6e4f } .always { color: #1f4e9c } .down { color: #b00020 }
            """;

    private final SiblingSharing sharing;

    public StatusPage(SiblingSharing sharing) {
        this.sharing = sharing;
    }

    @Override
    public Router.Answer answer(Router.Question question) {
        Headers headers = Headers.of(
                "Content-Type", "text/html; charset=utf-8",
                "Content-Security-Policy", POLICY,
                "X-Content-Type-Options", "nosniff",
                "Referrer-Policy", "no-referrer",
                "Cache-Control", "no-store");
        return new Router.Answer(200, headers, html(sharing.status()).getBytes(StandardCharsets.UTF_8));
    }

    static String html(Status status) {
        StringBuilder page = new StringBuilder(8_192);
        page.append("<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">");
        page.append("<meta http-equiv=\"refresh\" content=\"5\"><title>").append(safe(status.name()));
        page.append(" and its siblings</title><style>").append(STYLE).append("</style></head><body>\n<h1>");
        page.append(safe(status.name())).append(" and its siblings</h1>\n");
        page.append("<p>Digest version ").append(status.version()).append(", ");
        page.append(safe(Figures.bytes(status.bits() / 8))).append("; the origin takes ");
        page.append(millis(status.originNanos())).append(".</p>\n<h2>Who holds how much</h2>\n");
        drawing(page, status);
        page.append("<h2>What they are worth</h2>\n");
        siblings(page, status);
        page.append("<h2>Which digests are trusted</h2>\n");
        groups(page, status);
        return page.append("</body></html>\n").toString();
    }

    private static void drawing(StringBuilder page, Status status) {
        long most = Math.max(1, status.documents());
        for (Status.Of each : status.siblings()) {
            most = Math.max(most, each.report().documents());
        }
        int rows = status.siblings().size() + 1;
        page.append("<svg width=\"800\" height=\"")
                .append(rows * ROW)
                .append("\" role=\"img\" aria-label=\"Pages held\">\n");
        bar(page, 0, status.name() + " (this one)", status.documents(), most, "#1f4e9c");
        int row = 1;
        for (Status.Of each : status.siblings()) {
            SiblingView.Report report = each.report();
            bar(page, row++, report.name(), report.documents(), most, report.down() ? "#bbb" : "#0b6e4f");
        }
        page.append("</svg>\n");
    }

    private static void bar(StringBuilder page, int row, String name, long documents, long most, String colour) {
        int y = row * ROW;
        long width = Math.max(1, BAR * documents / most);
        page.append("<text x=\"0\" y=\"")
                .append(y + 17)
                .append("\">")
                .append(safe(name))
                .append("</text>");
        page.append("<rect x=\"220\" y=\"")
                .append(y + 4)
                .append("\" height=\"18\" width=\"")
                .append(width);
        page.append("\" fill=\"")
                .append(colour)
                .append("\"/><text x=\"")
                .append(230 + width)
                .append("\" y=\"");
        page.append(y + 17).append("\">").append(Figures.count(documents)).append(" pages</text>\n");
    }

    private static void siblings(StringBuilder page, Status status) {
        page.append(
                "<table><tr><th>sibling</th><th>state</th><th>hits</th><th>false</th><th>stale</th><th>failed</th>");
        page.append("<th>bytes saved</th><th>a hit takes</th><th>a miss</th><th>digest</th><th>its age</th>");
        page.append("<th>digest error</th><th>digest traffic</th></tr>\n");
        for (Status.Of each : status.siblings()) {
            SiblingView.Report report = each.report();
            page.append("<tr><td>").append(safe(report.name())).append("<br>");
            page.append(safe(address(each))).append("</td><td");
            page.append(
                    report.down() ? " class=\"down\">down" : ">" + (report.version() == 0 ? "no digest yet" : "up"));
            cell(page, Figures.count(report.hits()));
            cell(page, Figures.count(report.falseHits() + report.unsettled()));
            cell(page, Figures.count(report.staleHits()));
            cell(page, Figures.count(report.failures()));
            cell(page, Figures.bytes(report.bytes()));
            cell(page, millis(report.hitCost()));
            cell(page, millis(report.missCost()));
            cell(page, Figures.bytes(report.digestSizeBytes()));
            cell(page, report.digestAgeNanos() < 0 ? "" : Figures.significant(report.digestAgeNanos() / 1e9) + " s");
            cell(page, Double.isNaN(report.digestError()) ? "" : Figures.percent(report.digestError()));
            cell(page, Figures.bytes(report.digestBytes()) + " in " + Figures.count(report.digests()));
            page.append("</td></tr>\n");
        }
        page.append("</table>\n");
    }

    private static String address(Status.Of each) {
        InetSocketAddress at = each.address();
        return at == null ? "" : SiblingSharing.text(at);
    }

    private static void cell(StringBuilder page, String text) {
        page.append("</td><td>").append(safe(text));
    }

    private static void groups(StringBuilder page, Status status) {
        page.append(
                "<table><tr><th>sibling</th><th>pages</th><th>asked</th><th>there</th><th>false</th><th></th></tr>\n");
        for (Status.Of each : status.siblings()) {
            int shown = 0;
            for (GuardReport.Group group : each.report().guard().groups()) {
                if (shown++ == MAX_GROUPS) {
                    break;
                }
                String action = group.action().name().toLowerCase(Locale.ROOT);
                page.append("<tr><td>").append(safe(each.report().name()));
                cell(page, String.valueOf(group.group()));
                cell(page, Figures.count(group.asked()));
                cell(page, group.prior().toString());
                cell(page, group.falsePositives().toString());
                page.append("</td><td class=\"").append(action).append("\">").append(says(group.action()));
                page.append("</td></tr>\n");
            }
        }
        page.append("</table>\n");
    }

    private static String says(Guard.Action action) {
        return switch (action) {
            case NEVER -> "not trusted: never asked";
            case CONSULT -> "trusted: asked if the digest says perhaps";
            case ALWAYS -> "always asked";
        };
    }

    private static String millis(double nanos) {
        return nanos <= 0 ? "" : Figures.significant(nanos / 1e6) + " ms";
    }

    /** Text in a page, whatever it is. */
    private static String safe(String text) {
        StringBuilder safe = new StringBuilder(text.length() + 16);
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            switch (c) {
                case '<' -> safe.append("&lt;");
                case '>' -> safe.append("&gt;");
                case '&' -> safe.append("&amp;");
                case '"' -> safe.append("&quot;");
                case '\'' -> safe.append("&#39;");
                default -> safe.append(c);
            }
        }
        return safe.toString();
    }
}
