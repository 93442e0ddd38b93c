package dev.perhaps.cli.placement;

import dev.perhaps.chord.host.RingView;
import dev.perhaps.io.Figures;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;

/** A ring as a picture: each node's range is an arc in the colour of its peer, clockwise from the top. */
final class RingDrawing {
    private static final int SIZE = 720;
    private static final int CENTRE = SIZE / 2;
    private static final int RADIUS = 230;
    private static final int NAMES_RADIUS = RADIUS + 26;
    private static final int MAX_NAMES = 64;

    private final RingView ring;
    private final Map<String, String> colours = new LinkedHashMap<>();
    private final StringBuilder svg = new StringBuilder();

    private RingDrawing(RingView ring) {
        this.ring = ring;
    }

    static String of(RingView ring) {
        return new RingDrawing(ring).draw();
    }

    private String draw() {
        add(
                "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" font-family=\"sans-serif\""
                        + " font-size=\"13\">%n<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>%n",
                SIZE, SIZE);
        for (RingView.Place place : ring.places()) {
            arc(place);
        }
        for (RingView.Place place : ring.places()) {
            node(place);
        }
        add(
                "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\">%d nodes, %s%s</text>%n</svg>%n",
                CENTRE,
                CENTRE,
                ring.places().size(),
                ring.isSettled() ? "settled" : "settling",
                ring.silent().isEmpty() ? "" : ", " + ring.silent().size() + " peers not reachable");
        return svg.toString();
    }

    private void arc(RingView.Place place) {
        String colour = colour(place.member().address());
        if (ring.places().size() == 1) {
            add(
                    "<circle cx=\"%d\" cy=\"%d\" r=\"%d\" fill=\"none\" stroke=\"%s\" stroke-width=\"14\"/>%n",
                    CENTRE, CENTRE, RADIUS, colour);
            return;
        }
        double from = place.range().from().turn();
        double to = place.range().to().turn();
        add(
                "<path d=\"M %.2f %.2f A %d %d 0 %d 1 %.2f %.2f\" fill=\"none\" stroke=\"%s\" stroke-width=\"14\"/>%n",
                x(from, RADIUS),
                y(from, RADIUS),
                RADIUS,
                RADIUS,
                place.share() > 0.5 ? 1 : 0,
                x(to, RADIUS),
                y(to, RADIUS),
                colour);
    }

    private void node(RingView.Place place) {
        double turn = place.member().id().turn();
        add(
                "<circle cx=\"%.2f\" cy=\"%.2f\" r=\"7\" fill=\"%s\" stroke=\"black\"><title>%s %s, %s,"
                        + " %s</title></circle>%n",
                x(turn, RADIUS),
                y(turn, RADIUS),
                place.health() == RingView.Health.SETTLED ? "white" : "orange",
                place.member().id(),
                escaped(place.member().address()),
                Figures.percent(place.share()),
                place.health().name().toLowerCase(Locale.ROOT));
        if (ring.places().size() <= MAX_NAMES) {
            double x = x(turn, NAMES_RADIUS);
            add(
                    "<text x=\"%.2f\" y=\"%.2f\" text-anchor=\"%s\" dominant-baseline=\"middle\">%s</text>%n",
                    x,
                    y(turn, NAMES_RADIUS),
                    x < CENTRE ? "end" : "start",
                    escaped(place.member().address()));
        }
    }

    /** Returns a colour that is far from the others, whatever their number. */
    private String colour(String address) {
        return colours.computeIfAbsent(
                address, name -> String.format(Locale.ROOT, "hsl(%d, 60%%, 60%%)", colours.size() * 137 % 360));
    }

    private static double x(double turn, int radius) {
        return CENTRE + radius * Math.sin(2 * Math.PI * turn);
    }

    private static double y(double turn, int radius) {
        return CENTRE - radius * Math.cos(2 * Math.PI * turn);
    }

    private static String escaped(String text) {
        return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;");
    }

    private void add(String format, Object... values) {
        svg.append(String.format(Locale.ROOT, format, values));
    }
}
