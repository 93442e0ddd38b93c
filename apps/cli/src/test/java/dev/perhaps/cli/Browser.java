package dev.perhaps.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.logging.Level;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;
import org.openqa.selenium.By;
import org.openqa.selenium.Dimension;
import org.openqa.selenium.Keys;
import org.openqa.selenium.StaleElementReferenceException;
import org.openqa.selenium.WebElement;
import org.openqa.selenium.chrome.ChromeDriver;
import org.openqa.selenium.chrome.ChromeDriverService;
import org.openqa.selenium.chrome.ChromeOptions;
import org.openqa.selenium.logging.LogEntry;
import org.openqa.selenium.logging.LogType;
import org.openqa.selenium.logging.LoggingPreferences;

/** A real browser, without a window. */
final class Browser implements AutoCloseable {
    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(30);

    private final ChromeDriver driver;

    private Browser(ChromeDriver driver) {
        this.driver = driver;
    }

    /** Starts a browser; without an installed one, the test is skipped. */
    static Browser start() {
        Optional<File> binary = onPath("chromium");
        Optional<File> service = onPath("chromedriver");
        Assumptions.assumeTrue(binary.isPresent() && service.isPresent(), "chromium or chromedriver is not installed");
        LoggingPreferences logging = new LoggingPreferences();
        logging.enable(LogType.BROWSER, Level.ALL);
        ChromeOptions options = new ChromeOptions();
        options.setBinary(binary.orElseThrow());
        options.addArguments("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage");
        options.setCapability(ChromeOptions.LOGGING_PREFS, logging);
        return new Browser(new ChromeDriver(
                new ChromeDriverService.Builder()
                        .usingDriverExecutable(service.orElseThrow())
                        .build(),
                options));
    }

    private static Optional<File> onPath(String name) {
        return Stream.of(System.getenv().getOrDefault("PATH", "").split(File.pathSeparator))
                .map(folder -> Path.of(folder, name))
                .filter(Files::isExecutable)
                .map(Path::toFile)
                .findFirst();
    }

    void open(String url, int widthPixels, int heightPixels) {
        resize(widthPixels, heightPixels);
        driver.get(url);
    }

    void resize(int widthPixels, int heightPixels) {
        driver.manage().window().setSize(new Dimension(widthPixels, heightPixels));
    }

    WebElement one(String selector) {
        return driver.findElement(By.cssSelector(selector));
    }

    /** The texts of all elements that are selected. */
    List<String> texts(String selector) {
        return driver.findElements(By.cssSelector(selector)).stream()
                .map(WebElement::getText)
                .toList();
    }

    int count(String selector) {
        return driver.findElements(By.cssSelector(selector)).size();
    }

    void press(String selector, Keys key) {
        one(selector).sendKeys(key);
    }

    /** Runs a script, and gives its result as text. */
    String run(String script) {
        return String.valueOf(driver.executeScript(script));
    }

    /** Waits until this holds; an element that is just being replaced counts as not there. */
    void await(String what, BooleanSupplier condition) throws InterruptedException {
        long end = System.nanoTime() + PATIENCE_NANOS;
        while (!holds(condition)) {
            if (System.nanoTime() - end > 0) {
                throw new AssertionError(
                        "not seen: " + what + ", but:\n" + one("body").getText());
            }
            Thread.sleep(50);
        }
    }

    private static boolean holds(BooleanSupplier condition) {
        try {
            return condition.getAsBoolean();
        } catch (StaleElementReferenceException e) {
            return false;
        }
    }

    /** Nothing was complained of since the last time. */
    void assertNoErrors() {
        assertThat(driver.manage().logs().get(LogType.BROWSER).getAll())
                .extracting(LogEntry::getMessage)
                .isEmpty();
    }

    @Override
    public void close() {
        driver.quit();
    }
}
