package dev.perhaps.proxy.siblings;

import dev.perhaps.guard.Guard;
import dev.perhaps.guard.GuardReport;
import dev.perhaps.io.Figures;
import dev.perhaps.proxy.sharing.SiblingView;
import dev.perhaps.web.admin.AdminPage;
import dev.perhaps.web.admin.AdminReply;
import dev.perhaps.web.admin.AdminRequest;
import dev.perhaps.web.admin.HtmlText;
import java.net.InetSocketAddress;
import java.util.List;

/**
 * A page that shows how much each proxy holds and which digests are trusted. It has no scripts, and loads nothing from
 * other sites.
 */
public final class StatusPage implements AdminPage {
    /** The path of the page. */
    public static final String PATH = "/siblings";

    private static final int BAR = 400;
    private static final int ROW = 26;
    private static final int MAX_GROUPS = 12;

    private final SiblingSharing sharing;

    /** Draws what this part of a proxy knows. */
    public StatusPage(SiblingSharing sharing) {
        this.sharing = sharing;
    }

    @Override
    public AdminReply reply(AdminRequest request) {
        return AdminReply.html(html(sharing.status()));
    }

    static String html(Status status) {
        StringBuilder page = new StringBuilder(8_192);
        String name = HtmlText.of(status.name());
        page.append("<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">");
        page.append("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">");
        page.append("<meta http-equiv=\"refresh\" content=\"5\"><title>").append(name);
        page.append(" and its siblings</title><link rel=\"stylesheet\" href=\"style.css\"></head><body>\n");
        page.append("<header><div><p class=\"kind\">perhaps · a proxy</p><h1>").append(name);
        page.append(
                " and its siblings</h1></div></header>\n<main>\n<section class=\"card\"><h2>Who holds how much</h2>\n");
        page.append("<p class=\"quiet\">Digest version ")
                .append(status.version())
                .append(", ");
        page.append(HtmlText.of(Figures.bytes(status.bits() / 8))).append("; the origin takes ");
        page.append(millis(status.originNanos())).append(".</p>\n");
        drawing(page, status);
        page.append("</section>\n<section class=\"card\"><h2>What they are worth</h2>\n");
        siblings(page, status);
        page.append("</section>\n<section class=\"card\"><h2>Which digests are trusted</h2>\n");
        groups(page, status);
        return page.append("</section>\n</main></body></html>\n").toString();
    }

    private static void drawing(StringBuilder page, Status status) {
        long most = Math.max(1, status.documents());
        for (Status.Of each : status.siblings()) {
            most = Math.max(most, each.report().documents());
        }
        int rows = status.siblings().size() + 1;
        page.append("<svg class=\"chart\" width=\"800\" height=\"")
                .append(rows * ROW)
                .append("\" role=\"img\" aria-label=\"Pages held\">\n");
        bar(page, 0, status.name() + " (this one)", status.documents(), most, "own");
        int row = 1;
        for (Status.Of each : status.siblings()) {
            SiblingView.Report report = each.report();
            bar(page, row++, report.name(), report.documents(), most, report.down() ? "away" : "there");
        }
        page.append("</svg>\n");
    }

    private static void bar(StringBuilder page, int row, String name, long documents, long most, String kind) {
        int y = row * ROW;
        long width = Math.max(1, BAR * documents / most);
        page.append("<g class=\"").append(kind).append("\"><text x=\"0\" y=\"").append(y + 13);
        page.append("\">")
                .append(HtmlText.of(name))
                .append("</text><rect x=\"220\" y=\"")
                .append(y + 4);
        page.append("\" height=\"18\" width=\"")
                .append(width)
                .append("\"/><text x=\"")
                .append(230 + width);
        page.append("\" y=\"").append(y + 13).append("\">").append(Figures.count(documents));
        page.append(" pages</text></g>\n");
    }

    private static void siblings(StringBuilder page, Status status) {
        head(
                page,
                List.of("sibling", "state"),
                List.of(
                        "hits",
                        "false",
                        "stale",
                        "failed",
                        "bytes saved",
                        "a hit takes",
                        "a miss",
                        "digest",
                        "its age",
                        "digest error",
                        "digest traffic"));
        for (Status.Of each : status.siblings()) {
            SiblingView.Report report = each.report();
            page.append("<tr><td>").append(HtmlText.of(report.name())).append("<br><small>");
            page.append(HtmlText.of(address(each))).append("</small></td><td class=\"health ");
            page.append(report.down() ? "bad\">down" : report.version() == 0 ? "warn\">no digest yet" : "good\">up");
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
        page.append("</tbody></table></div>\n");
    }

    private static void head(StringBuilder page, List<String> words, List<String> numbers) {
        page.append("<div class=\"scroll\"><table><thead><tr>");
        words.forEach(title -> page.append("<th scope=\"col\">").append(title).append("</th>"));
        numbers.forEach(title ->
                page.append("<th scope=\"col\" class=\"number\">").append(title).append("</th>"));
        page.append("</tr></thead><tbody>\n");
    }

    private static String address(Status.Of each) {
        InetSocketAddress at = each.address();
        return at == null ? "" : SiblingSharing.text(at);
    }

    private static void cell(StringBuilder page, String text) {
        page.append("</td><td class=\"number\">").append(HtmlText.of(text));
    }

    private static void groups(StringBuilder page, Status status) {
        head(page, List.of("sibling", "pages", "what is done"), List.of("asked", "there", "false"));
        for (Status.Of each : status.siblings()) {
            int shown = 0;
            for (GuardReport.Group group : each.report().guard().groups()) {
                if (shown++ == MAX_GROUPS) {
                    break;
                }
                page.append("<tr><td>")
                        .append(HtmlText.of(each.report().name()))
                        .append("</td><td>");
                page.append(HtmlText.of(String.valueOf(group.group()))).append("</td><td class=\"");
                page.append(group.action() == Guard.Action.NEVER ? "bad" : "good")
                        .append("\">");
                page.append(says(group.action()));
                cell(page, Figures.count(group.asked()));
                cell(page, group.prior().toString());
                cell(page, group.falsePositives().toString());
                page.append("</td></tr>\n");
            }
        }
        page.append("</tbody></table></div>\n");
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
}
