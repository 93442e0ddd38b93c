package dev.perhaps.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.openqa.selenium.Keys;

/** The page of a peer in a real browser: three processes, files with harmless and with hostile names, and kills. */
@Timeout(180)
class PeerPageIT {
    private static final String HOSTILE = "<img src=x onerror=document.title='taken'><script>1</script>";

    @TempDir
    private Path folder;

    private static String pageOf(Shell.Running peer) throws Exception {
        String lines = Files.readString(peer.out());
        return lines.substring(lines.indexOf("http://"), lines.length() - 1);
    }

    private static String idOf(Shell.Running peer) throws Exception {
        return Files.readString(peer.out()).split("\\s", -1)[4];
    }

    private void put(String via, String content, String name) throws Exception {
        Shell shell = new Shell(folder);
        shell.write("file", content);
        Shell.Result result = shell.perhaps("put", "--via", via, "file", "--name", name);
        assertThat(result.code()).as(result.err()).isZero();
    }

    private static void lookUp(Browser browser, String key) throws InterruptedException {
        browser.one("#key").clear();
        browser.one("#key").sendKeys(key);
        browser.press("#key", Keys.ENTER);
        browser.await(
                "the way to " + key,
                () -> browser.count("#circle .pin title") == 1
                        && !browser.texts(".hops li").isEmpty());
    }

    @Test
    void showsRingFilesAndTheWayOfALookupLive() throws Exception {
        try (Browser browser = Browser.start();
                PeerShell peers = new PeerShell(folder)) {
            Shell.Running first = peers.start("--listen", "127.0.0.1:0", "--dir", "a");
            String a = PeerShell.address(first);
            Shell.Running second = peers.start("--listen", "127.0.0.1:0", "--dir", "b", "--join", a);
            Shell.Running third = peers.start("--listen", "127.0.0.1:0", "--dir", "c", "--join", a);
            String b = PeerShell.address(second);
            String c = PeerShell.address(third);
            browser.open(pageOf(first), 1280, 1000);
            browser.await("three members", () -> browser.count("#members tbody tr") == 3);
            browser.await(
                    "all settled",
                    () -> browser.texts("#members .health").equals(List.of("settled", "settled", "settled")));
            assertThat(browser.texts("#members tbody button")).containsExactlyInAnyOrder(a, b, c);
            assertThat(browser.count("#circle .arc")).isEqualTo(3);
            assertThat(browser.texts("h1")).containsExactly(a);
            assertThat(browser.texts("#state")).containsExactly("live");

            put(b, "content", HOSTILE);
            browser.await("files", () -> browser.count("#files tbody tr") == 2);
            assertThat(browser.texts("#files tbody button")).contains(HOSTILE);
            put(c, "more content", "report");
            browser.await(
                    "a file more, without reloading",
                    () -> browser.texts("#files tbody button").contains("report"));

            lookUp(browser, idOf(third));
            assertThat(browser.texts(".hops .who")).hasSizeGreaterThanOrEqualTo(2);
            assertThat(browser.texts(".hops .who").get(0)).isEqualTo(a + " this peer");
            assertThat(browser.texts(".hops li"))
                    .last()
                    .asString()
                    .startsWith(c)
                    .contains("has it in its range")
                    .endsWith(" ms");
            assertThat(browser.count("#circle .step")).isPositive();
            lookUp(browser, HOSTILE);
            browser.await(
                    "who has it", () -> browser.texts(".hosts .health").equals(List.of("has it", "has it", "has it")));
            assertThat(browser.texts(".found").get(0)).startsWith("A name for the file ");
            assertThat(browser.count("main img, main script")).isZero();
            assertThat(browser.run("return document.title")).isEqualTo(a + " · a peer of a ring");

            browser.press("#circle", Keys.ARROW_RIGHT);
            assertThat(browser.run("return document.getElementById('announced').textContent"))
                    .contains(", settled, ");
            browser.resize(500, 900);
            assertThat(browser.run("return document.documentElement.scrollWidth <= innerWidth"))
                    .isEqualTo("true");
            browser.resize(1280, 1000);
            browser.assertNoErrors();

            third.signal("-KILL");
            browser.await(
                    "the killed one",
                    () -> browser.texts("#members .away button").equals(List.of(c))
                            && browser.texts("#members .away .health").equals(List.of("not reachable"))
                            && browser.count("#circle .cross") == 1);

            first.signal("-KILL");
            browser.await(
                    "that the peer is gone",
                    () -> browser.texts("#state").equals(List.of("not reachable"))
                            && browser.one("#gone").isDisplayed());
            peers.start("--listen", a, "--dir", "a", "--page", pageOf(first).replaceAll("http://|/$", ""));
            browser.await(
                    "that it is back",
                    () -> browser.texts("#state").equals(List.of("live"))
                            && !browser.one("#gone").isDisplayed());
        }
    }

    @Test
    void thePageIsOffOrElsewhereIfAskedFor() throws Exception {
        try (PeerShell peers = new PeerShell(folder)) {
            Shell.Running without = peers.start("--listen", "127.0.0.1:0", "--dir", "a", "--no-page");
            PeerShell.address(without);
            assertThat(Files.readString(without.out())).doesNotContain("page at");
            List<Shell.Result> results = new Shell(folder)
                    .all(List.of(
                            List.of(
                                    "peer",
                                    "--listen",
                                    "127.0.0.1:0",
                                    "--dir",
                                    "b",
                                    "--no-page",
                                    "--page",
                                    "127.0.0.1:0"),
                            List.of("peer", "--listen", "127.0.0.1:0", "--dir", "b", "--page", "8080"),
                            List.of(
                                    "peer",
                                    "--listen",
                                    "127.0.0.1:0",
                                    "--dir",
                                    "b",
                                    "--page",
                                    PeerShell.address(without))));
            assertThat(results).extracting(Shell.Result::code).containsOnly(2);
            assertThat(results.get(0).err())
                    .isEqualTo("perhaps: --page 127.0.0.1:0 and --no-page exclude each other: use one of them\n");
            assertThat(results.get(1).err()).isEqualTo("perhaps: an address is HOST:PORT, got '8080'\n");
            assertThat(results.get(2).err())
                    .startsWith("perhaps: " + PeerShell.address(without) + ": cannot listen there: ");
        }
    }
}
