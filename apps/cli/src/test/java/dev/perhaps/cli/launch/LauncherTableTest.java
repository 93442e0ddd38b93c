package dev.perhaps.cli.launch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

class LauncherTableTest {
    @Command(
            name = "program",
            subcommands = {Group.class, Store.class, Plain.class})
    static class Program {}

    @Command(name = "group", subcommands = Read.class)
    static class Group {}

    @Workload(Workload.Kind.BULK)
    @Command(name = "read")
    static class Read {}

    @Workload(value = Workload.Kind.CACHE, sizeOption = "--room")
    @Command(name = "store")
    static class Store {
        @Option(names = "--room")
        String room = "7M";
    }

    @Command(name = "plain")
    static class Plain {}

    @Command(name = "program", subcommands = WrongOption.class)
    static class Wrong {}

    @Workload(value = Workload.Kind.CACHE, sizeOption = "--rooom")
    @Command(name = "store")
    static class WrongOption implements Callable<Integer> {
        @Override
        public Integer call() {
            return 0;
        }
    }

    @Test
    void namesEveryCommandThatSaysWhatItDoesAndTheDefaultOfItsSize() {
        List<String> lines = LauncherTable.lines(new CommandLine(Program.class).getCommandSpec());

        assertThat(lines)
                .containsExactly(
                        "short||" + Workload.Kind.SHORT.flags() + "||",
                        "bulk|,group read,|" + Workload.Kind.BULK.flags() + "||",
                        "cache|,store,|" + Workload.Kind.CACHE.flags() + "|--room|7M");
    }

    @Test
    void refusesASizeOptionThatTheCommandDoesNotHave() {
        assertThatThrownBy(() -> LauncherTable.lines(new CommandLine(Wrong.class).getCommandSpec()))
                .hasMessageContaining("store has no option --rooom");
    }
}
