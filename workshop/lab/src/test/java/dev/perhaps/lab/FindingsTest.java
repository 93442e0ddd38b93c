package dev.perhaps.lab;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.perhaps.lab.filters.FalsePositives;
import java.awt.image.BufferedImage;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import javax.imageio.ImageIO;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What every experiment has: tables, plots, expectations, and files of them. */
class FindingsTest {
    @TempDir
    Path folder;

    private static final Experiment NOTHING = new Experiment() {
        @Override
        public String name() {
            return "nothing";
        }

        @Override
        public String shows() {
            return "Nothing at all.";
        }

        @Override
        public Findings run(Conditions conditions) {
            return new Findings(this);
        }
    };

    private static ResultTable table() {
        ResultTable table = new ResultTable("cities", "Cities").text("city").number("share", "%.2f");
        table.row("Oslo, \"old\"", 0.123456);
        table.row("Rome", Double.NaN);
        return table;
    }

    @Test
    void alignsTablesForPeopleAndKeepsAllDigitsForPrograms() {
        assertThat(table().markdown()).isEqualTo("""
                | city        | share |
                |-------------|------:|
                | Oslo, "old" |  0.12 |
                | Rome        |       |
                """);
        assertThat(table().csv()).isEqualTo("""
                city,share
                "Oslo, ""old""\",0.123456
                Rome,
                """);
        assertThatThrownBy(() -> table().row("Bern")).hasMessageContaining("2 cells, got 1");
    }

    @Test
    void holdsOnlyIfEveryExpectationHolds() {
        Findings findings = new Findings(NOTHING);
        findings.expect(Expectation.near("a", 1.04, 1, 0.05, "%.2f"));
        findings.expect(Expectation.atMost("b", 2, 2, "%.0f"));
        findings.expect(Expectation.atLeast("c", 3, 3, "%.0f"));
        assertThat(findings.held()).isTrue();
        assertThat(Expectation.near("d", 0.94, 1, 0.05, "%.2f"))
                .hasToString("FAILED  d: 0.94 (within 0.05 of 1.00)")
                .returns(false, Expectation::held);
        assertThat(Expectation.atMost("nothing measured", Double.NaN, 1, "%.0f").held())
                .isFalse();
        findings.expect(Expectation.atLeast("e", 2, 3, "%.0f"));
        assertThat(findings.held()).isFalse();
        assertThat(findings.text()).contains("held    a: 1.04 (within 0.05 of 1.00)", "FAILED  e: 2 (at least 3)");
    }

    @Test
    void writesAPageTablesAndPlotsThatOthersCanRead() throws Exception {
        Plot plot = new Plot("curve", "A curve").xLog("x").yLog("y");
        plot.line("theory", new double[] {1, 10, 100}, new double[] {1, 0.1, 0.01}, 0);
        plot.dots("measured", new double[] {1, 10, 100}, new double[] {1.1, 0.09, 0}, 0);
        Findings findings = new Findings(NOTHING).add(table()).add(plot).remark("So it is.");
        List<Path> files = findings.save(folder.resolve("new/found"));
        assertThat(files)
                .extracting(file -> file.getFileName().toString())
                .containsExactly("nothing-cities.csv", "nothing-curve.svg", "nothing-curve.png", "nothing.md");
        assertThat(Files.readString(files.get(3))).contains("| Rome ", "nothing-curve.svg", "So it is.");

        BufferedImage image = ImageIO.read(files.get(2).toFile());
        assertThat(image.getWidth()).isEqualTo(1000);
        assertThat(colours(image))
                .as("lines, dots, grid and words, not a blank")
                .isGreaterThan(20);

        var factory = DocumentBuilderFactory.newInstance();
        factory.setFeature("http://apache.org/xml/features/nonvalidating/load-external-dtd", false);
        var drawing = factory.newDocumentBuilder().parse(files.get(1).toFile());
        assertThat(drawing.getDocumentElement().getTagName()).isEqualTo("svg");
        assertThat(drawing.getElementsByTagName("path").getLength()).isGreaterThan(20);
    }

    private static long colours(BufferedImage image) {
        return java.util.Arrays.stream(
                        image.getRGB(0, 0, image.getWidth(), image.getHeight(), null, 0, image.getWidth()))
                .distinct()
                .count();
    }

    @Test
    void doesPartsInOrderWhateverTheCores() {
        List<Integer> squares = Conditions.usual().each("squares", 100, i -> i * i);
        assertThat(squares).hasSize(100).startsWith(0, 1, 4).endsWith(9801);
        assertThatThrownBy(() -> Conditions.usual().each("failing", 3, i -> {
                    throw new IllegalStateException("part " + i);
                }))
                .hasMessage("part 0");
    }

    @Test
    void namesAllExperimentsWhenThereIsNoSuchOne() {
        assertThat(Lab.experiment("false-positives")).isInstanceOf(FalsePositives.class);
        assertThatThrownBy(() -> Lab.experiment("alchemy"))
                .hasMessageContaining("'alchemy'")
                .hasMessageContaining("false-positives");
        assertThat(Lab.experiments()).extracting(Experiment::name).doesNotHaveDuplicates();
    }
}
