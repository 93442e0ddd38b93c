package dev.perhaps.spark;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.JRE;
import org.junit.jupiter.api.io.TempDir;

/** On a cluster of processes the results are those of one machine, also when a worker is killed while a job runs. */
@EnabledForJreRange(max = JRE.JAVA_21)
class ClusterIT {
    @TempDir
    private static Path folder;

    private static TestCluster cluster;
    private static TestProcesses.Started first;

    @BeforeAll
    static void start() throws IOException {
        cluster = new TestCluster(folder);
        first = cluster.startWorker();
        TestProcesses.Started second = cluster.startWorker();
        assertThat(second).isNotSameAs(first);
    }

    @AfterAll
    static void end() {
        cluster.close();
    }

    @Test
    void everyResultIsThatOfOneMachine() throws Exception {
        List<String> expected = ClusterQueries.all(TestSession.spark().newSession()); // with views of its own
        assertThat(expected).anyMatch(line -> line.startsWith("inner join by filter: true"));
        List<String> results = cluster.startDriver(ClusterQueries.class, "all").awaitEnd(ClusterQueries.RESULT);
        assertThat(results).hasSize(2 * expected.size());
        assertThat(results.subList(0, expected.size())).containsExactlyElementsOf(expected);
        assertThat(results.subList(expected.size(), results.size()))
                .as("without whole-stage code generation")
                .containsExactlyElementsOf(expected);
    }

    /** It had output of a finished stage, and a task of the next one in the middle of its work: both are done again. */
    @Test
    void aWorkerThatIsKilledChangesNothing() throws Exception {
        Path proceed = folder.resolve("proceed");
        TestProcesses.Started driver = cluster.startDriver(ClusterQueries.class, "waiting", proceed.toString());
        assertThat(driver.awaitLine(ClusterQueries.WAITING + "2")).isNotEmpty();
        assertThat(first.children()).as("its executor").isNotEmpty();
        first.kill();
        first.awaitChildrenEnded();
        Files.createFile(proceed);
        assertThat(driver.awaitEnd(ClusterQueries.RESULT))
                .containsExactlyElementsOf(ClusterQueries.undisturbed(TestSession.spark()));
        assertThat(cluster.startWorker().children())
                .as("a worker for the next test")
                .isEmpty();
    }
}
