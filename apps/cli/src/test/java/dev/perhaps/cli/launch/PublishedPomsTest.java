package dev.perhaps.cli.launch;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.w3c.dom.Document;
import org.w3c.dom.Element;
import org.w3c.dom.Node;
import org.w3c.dom.NodeList;

/** What Maven Central demands of every module, and that the list of versions is complete. */
class PublishedPomsTest {
    private final Document parent = pom("pom.xml");
    private final Document bom = pom("library/bom/pom.xml");

    @Test
    void theListOfVersionsNamesEveryModuleThatIsPublished() {
        List<String> published = new ArrayList<>();
        for (String module : texts(parent, "module")) {
            Document pom = pom(module + "/pom.xml");
            if (texts(pom, "maven.deploy.skip").isEmpty() && !module.equals("library/bom")) {
                published.add(child(pom, "artifactId"));
            }
        }
        List<String> listed = new ArrayList<>(texts(bom, "artifactId"));
        listed.removeIf(name -> !name.startsWith("perhaps-") || name.equals("perhaps-bom"));

        assertThat(listed).containsExactlyInAnyOrderElementsOf(published);
    }

    @Test
    void theListOfVersionsAndTheExamplesHaveTheVersionOfTheBuild() {
        assertThat(child(bom, "version")).isEqualTo(child(parent, "version"));
        assertThat(texts(pom("examples/pom.xml"), "perhaps.version")).containsExactly(child(parent, "version"));
    }

    /** The list of versions has no parent: 'mvn spotless:apply' would find no formatter there, and fail. */
    @Test
    void theListOfVersionsIsNotFormatted() {
        Element plugins = (Element) bom.getElementsByTagName("plugins").item(0);
        NodeList all = plugins.getElementsByTagName("plugin");
        List<String> found = new ArrayList<>();
        for (int i = 0; i < all.getLength(); i++) {
            found.add(all.item(i).getTextContent().replaceAll("\\s+", " ").strip());
        }
        String version = texts(parent, "spotless.version").get(0);
        assertThat(found).contains("com.diffplug.spotless spotless-maven-plugin " + version + " true");
    }

    @Test
    void everyModuleSaysWhatItIs() {
        for (String module : texts(parent, "module")) {
            Document pom = pom(module + "/pom.xml");
            assertThat(child(pom, "name")).as("name of %s", module).isNotBlank();
            assertThat(child(pom, "description"))
                    .as("description of %s", module)
                    .isNotBlank();
        }
        for (Document pom : List.of(parent, bom)) {
            for (String demanded : List.of("name", "description", "url", "licenses", "developers", "scm")) {
                assertThat(child(pom, demanded)).as(demanded).isNotBlank();
            }
        }
    }

    private static Document pom(String path) {
        Path file = Path.of("..", "..").resolve(path);
        try (var in = Files.newInputStream(file)) {
            return DocumentBuilderFactory.newInstance().newDocumentBuilder().parse(in);
        } catch (Exception e) {
            throw new IllegalStateException(path, e);
        }
    }

    private static List<String> texts(Document pom, String name) {
        NodeList nodes = pom.getElementsByTagName(name);
        List<String> texts = new ArrayList<>();
        for (int i = 0; i < nodes.getLength(); i++) {
            texts.add(nodes.item(i).getTextContent().strip());
        }
        return texts;
    }

    /** The text of an element of the project itself; empty if there is none. */
    private static String child(Document pom, String name) {
        for (Node node = pom.getDocumentElement().getFirstChild(); node != null; node = node.getNextSibling()) {
            if (node instanceof Element element && element.getTagName().equals(name)) {
                return element.getTextContent().strip();
            }
        }
        return "";
    }
}
