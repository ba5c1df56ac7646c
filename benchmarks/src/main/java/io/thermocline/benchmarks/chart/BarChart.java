package io.thermocline.benchmarks.chart;

import java.util.List;
import java.util.Locale;

/**
 * Horizontal bars on logarithmic scales, one panel below the other.
 *
 * @param title of the chart
 * @param note what the figures are and where they come from
 * @param panels from above
 */
public record BarChart(String title, String note, List<Panel> panels) {

    private static final int WIDTH = 860;
    private static final int LABEL_WIDTH = 270;
    private static final int TEXT_WIDTH = 150;
    private static final int BAR_HEIGHT = 18;
    private static final int BAR_GAP = 6;
    private static final int PANEL_TOP = 34;
    private static final int MARGIN = 16;
    private static final int HEADER = 64;
    private static final int BAR_AREA = WIDTH - LABEL_WIDTH - TEXT_WIDTH - 2 * MARGIN;

    /** Legible for people who do not tell red from green. */
    private static final List<String> COLORS =
            List.of("#0072b2", "#e69f00", "#56b4e9", "#cc79a7", "#8c8c8c");

    public BarChart {
        panels = List.copyOf(panels);
    }

    /**
     * Bars that share a scale.
     *
     * @param title what is shown, with its unit
     * @param reference a value that a line marks; 0: none
     * @param bars from above
     */
    public record Panel(String title, double reference, List<Bar> bars) {

        public Panel {
            bars = List.copyOf(bars);
        }

        private int height() {
            return PANEL_TOP + bars.size() * (BAR_HEIGHT + BAR_GAP);
        }
    }

    /**
     * A bar.
     *
     * @param label at its left
     * @param value its length; a value of 0 or less has no bar
     * @param text at its right
     * @param color number of its color
     */
    public record Bar(String label, double value, String text, int color) {}

    /** The chart as a file's content. */
    public String svg() {
        int height = HEADER + MARGIN + panels.stream().mapToInt(Panel::height).sum();
        StringBuilder svg = new StringBuilder();
        append(
                svg,
                "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\""
                        + " height=\"%d\" font-family=\"sans-serif\" font-size=\"13\""
                        + " fill=\"#222222\">%n",
                WIDTH,
                height,
                WIDTH,
                height);
        append(svg, "<rect width=\"%d\" height=\"%d\" fill=\"#ffffff\"/>%n", WIDTH, height);
        text(svg, MARGIN, 28, "font-size=\"17\" font-weight=\"bold\"", title);
        text(svg, MARGIN, 48, "fill=\"#555555\"", note);
        int top = HEADER;
        for (Panel panel : panels) {
            draw(svg, panel, top);
            top += panel.height();
        }
        return svg.append("</svg>\n").toString();
    }

    private static void draw(StringBuilder svg, Panel panel, int top) {
        text(svg, MARGIN, top + 20, "font-weight=\"bold\"", panel.title());
        Scale scale = Scale.of(panel);
        int y = top + PANEL_TOP;
        if (panel.reference() > 0) {
            double x = LABEL_WIDTH + MARGIN + scale.length(panel.reference());
            append(
                    svg,
                    "<line x1=\"%.1f\" y1=\"%d\" x2=\"%.1f\" y2=\"%d\" stroke=\"#555555\""
                            + " stroke-dasharray=\"3 3\"/>%n",
                    x,
                    y - 4,
                    x,
                    top + panel.height());
        }
        for (Bar bar : panel.bars()) {
            double length = bar.value() > 0 ? scale.length(bar.value()) : 0;
            int left = LABEL_WIDTH + MARGIN;
            text(svg, left - 8, y + 14, "text-anchor=\"end\"", bar.label());
            append(
                    svg,
                    "<rect x=\"%d\" y=\"%d\" width=\"%.1f\" height=\"%d\" fill=\"%s\"/>%n",
                    left,
                    y,
                    length,
                    BAR_HEIGHT,
                    COLORS.get(bar.color() % COLORS.size()));
            text(svg, left + length + 6, y + 14, "", bar.text());
            y += BAR_HEIGHT + BAR_GAP;
        }
    }

    /** From a power of ten below every value to the largest. */
    private record Scale(double from, double to) {

        static Scale of(Panel panel) {
            double least = panel.reference() > 0 ? panel.reference() : Double.MAX_VALUE;
            double most = panel.reference();
            for (Bar bar : panel.bars()) {
                if (bar.value() > 0) {
                    least = Math.min(least, bar.value());
                    most = Math.max(most, bar.value());
                }
            }
            if (most <= 0) {
                return new Scale(0, 1);
            }
            double from = Math.ceil(Math.log10(least)) - 1;
            return new Scale(from, Math.max(from + 1, Math.log10(most)));
        }

        double length(double value) {
            return (Math.log10(value) - from) / (to - from) * BAR_AREA;
        }
    }

    private static void text(StringBuilder svg, double x, int y, String attributes, String text) {
        append(svg, "<text x=\"%.1f\" y=\"%d\" %s>%s</text>%n", x, y, attributes, escaped(text));
    }

    private static String escaped(String text) {
        return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;");
    }

    private static void append(StringBuilder svg, String format, Object... arguments) {
        svg.append(String.format(Locale.ROOT, format.replace("%n", "\n"), arguments));
    }
}
