package dev.perhaps.lab;

import java.awt.BasicStroke;
import java.awt.Color;
import java.awt.Dimension;
import java.awt.Font;
import java.awt.Graphics2D;
import java.awt.image.BufferedImage;
import java.io.IOException;
import java.io.OutputStream;
import java.io.OutputStreamWriter;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import javax.imageio.ImageIO;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.parsers.ParserConfigurationException;
import org.apache.batik.svggen.SVGGraphics2D;
import org.knowm.xchart.XYChart;
import org.knowm.xchart.XYChartBuilder;
import org.knowm.xchart.XYSeries;
import org.knowm.xchart.XYSeries.XYSeriesRenderStyle;
import org.knowm.xchart.style.Styler.ChartTheme;
import org.knowm.xchart.style.Styler.LegendPosition;
import org.knowm.xchart.style.lines.SeriesLines;
import org.knowm.xchart.style.markers.SeriesMarkers;

/** Curves over two axes, drawn as PNG and as SVG. */
public final class Plot {
    private static final int WIDTH = 1000;
    private static final int HEIGHT = 640;

    /** Colours that colour-blind readers can distinguish (Okabe and Ito, "Color universal design", 2008). */
    private static final Color[] COLOURS = {
        new Color(0x0072B2),
        new Color(0xD55E00),
        new Color(0x009E73),
        new Color(0xCC79A7),
        new Color(0xE69F00),
        new Color(0x56B4E9),
        new Color(0x000000),
        new Color(0x999999)
    };

    private enum Look {
        LINE,
        DASHES,
        DOTS
    }

    @SuppressWarnings("ArrayRecordComponent") // never compared
    private record Curve(String name, double[] x, double[] y, Look look, int colour) {}

    private final String name;
    private final String title;
    private final List<Curve> curves = new ArrayList<>();
    private String xTitle = "";
    private String yTitle = "";
    private boolean xLog;
    private boolean yLog;

    /**
     * @param name for a file's name
     * @param title what it shows, in a line
     */
    public Plot(String name, String title) {
        this.name = name;
        this.title = title;
    }

    public Plot x(String axis) {
        xTitle = axis;
        return this;
    }

    public Plot xLog(String axis) {
        xLog = true;
        return x(axis);
    }

    public Plot y(String axis) {
        yTitle = axis;
        return this;
    }

    /** A logarithmic axis, if the values span decades; points at 0 are left out of it. */
    public Plot yLog(String axis) {
        yLog = true;
        return y(axis);
    }

    /**
     * Curves of one colour belong together: the theory is a line, what was measured dots, which the legend leaves out.
     */
    public Plot line(String curve, double[] x, double[] y, int colour) {
        return add(new Curve(curve, x, y, Look.LINE, colour));
    }

    public Plot dashes(String curve, double[] x, double[] y, int colour) {
        return add(new Curve(curve, x, y, Look.DASHES, colour));
    }

    public Plot dots(String curve, double[] x, double[] y, int colour) {
        return add(new Curve(curve, x, y, Look.DOTS, colour));
    }

    private Plot add(Curve curve) {
        if (curve.x.length != curve.y.length) {
            throw new IllegalArgumentException(
                    "as many x as y, got " + curve.x.length + " and " + curve.y.length + " of " + curve.name);
        }
        curves.add(curve);
        return this;
    }

    public String name() {
        return name;
    }

    public String title() {
        return title;
    }

    public void writePng(OutputStream out) throws IOException {
        BufferedImage image = new BufferedImage(WIDTH, HEIGHT, BufferedImage.TYPE_INT_RGB);
        Graphics2D canvas = image.createGraphics();
        chart().paint(canvas, WIDTH, HEIGHT);
        canvas.dispose();
        ImageIO.write(image, "png", out);
    }

    public void writeSvg(OutputStream out) throws IOException {
        SVGGraphics2D canvas = canvas();
        canvas.setSVGCanvasSize(new Dimension(WIDTH, HEIGHT));
        chart().paint(canvas, WIDTH, HEIGHT);
        Writer text = new OutputStreamWriter(out, StandardCharsets.UTF_8);
        canvas.stream(text, true);
        text.flush();
    }

    private static SVGGraphics2D canvas() {
        try {
            return new SVGGraphics2D(DocumentBuilderFactory.newInstance()
                    .newDocumentBuilder()
                    .getDOMImplementation()
                    .createDocument("http://www.w3.org/2000/svg", "svg", null));
        } catch (ParserConfigurationException e) {
            throw new IllegalStateException("this Java cannot make an XML document", e);
        }
    }

    private XYChart chart() {
        XYChart chart = new XYChartBuilder()
                .width(WIDTH)
                .height(HEIGHT)
                .title(title)
                .xAxisTitle(xTitle)
                .yAxisTitle(yTitle)
                .theme(ChartTheme.Matlab)
                .build();
        chart.getStyler()
                .setChartBackgroundColor(Color.WHITE)
                .setLegendPosition(LegendPosition.OutsideE)
                .setLegendFont(new Font(Font.SANS_SERIF, Font.PLAIN, 13))
                .setChartTitleFont(new Font(Font.SANS_SERIF, Font.BOLD, 16))
                .setLocale(Locale.ROOT)
                .setMarkerSize(7);
        chart.getStyler().setXAxisLogarithmic(xLog).setYAxisLogarithmic(yLog && spansDecades());
        chart.getStyler()
                .setAxisTitleFont(new Font(Font.SANS_SERIF, Font.PLAIN, 14))
                .setAxisTickLabelsFont(new Font(Font.SANS_SERIF, Font.PLAIN, 12))
                .setPlotGridLinesColor(new Color(0xDDDDDD))
                .setPlotGridLinesStroke(new BasicStroke(1));
        for (Curve curve : curves) {
            draw(chart, curve);
        }
        return chart;
    }

    /** True if the values differ so much that a logarithmic axis has more than one or two marks. */
    private boolean spansDecades() {
        double least = Double.POSITIVE_INFINITY;
        double most = 0;
        for (Curve curve : curves) {
            for (double y : curve.y) {
                least = y > 0 ? Math.min(least, y) : least;
                most = Double.isFinite(y) ? Math.max(most, y) : most;
            }
        }
        return most > 20 * least;
    }

    private void draw(XYChart chart, Curve curve) {
        int kept = 0;
        double[] x = new double[curve.x.length];
        double[] y = new double[curve.y.length];
        for (int i = 0; i < curve.x.length; i++) {
            boolean shown = Double.isFinite(curve.y[i]) && (!xLog || curve.x[i] > 0) && (!yLog || curve.y[i] > 0);
            if (shown) {
                x[kept] = curve.x[i];
                y[kept++] = curve.y[i];
            }
        }
        if (kept == 0) {
            return;
        }
        XYSeries series =
                chart.addSeries(curve.name, java.util.Arrays.copyOf(x, kept), java.util.Arrays.copyOf(y, kept));
        Color colour = COLOURS[curve.colour % COLOURS.length];
        series.setLineColor(colour);
        series.setMarkerColor(colour);
        series.setMarker(SeriesMarkers.NONE);
        series.setLineWidth(2);
        switch (curve.look) {
            case LINE -> series.setLineStyle(SeriesLines.SOLID);
            case DASHES -> series.setLineStyle(SeriesLines.DASH_DASH);
            case DOTS -> {
                series.setXYSeriesRenderStyle(XYSeriesRenderStyle.Scatter);
                series.setMarker(SeriesMarkers.CIRCLE);
                series.setShowInLegend(
                        curves.stream().noneMatch(other -> other.look != Look.DOTS && other.colour == curve.colour));
            }
        }
    }
}
