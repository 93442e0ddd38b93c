package dev.perhaps.cli;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * A network of two sides that can be cut from each other, while the test still reaches all of them:
 * network namespaces on one bridge, whose ports are kept apart. Needs root and {@code ip}.
 */
final class CutNetwork implements AutoCloseable {
    private static final String BRIDGE = "perhaps-br";
    private static final String NET = "10.77.0.";
    private static final int MAX_HOSTS = 40;

    private static final int SIDES = 2;

    CutNetwork() throws Exception {
        close();
        ip("link add " + BRIDGE + " type bridge");
        ip("addr add " + NET + "254/24 dev " + BRIDGE);
        ip("link set " + BRIDGE + " up");
        for (int side = 0; side < SIDES; side++) {
            ip("netns add " + space(side));
            ip("link add " + port(side) + " type veth peer name eth0 netns " + space(side));
            ip("link set " + port(side) + " master " + BRIDGE + " up");
            ip("-n " + space(side) + " link set lo up");
            ip("-n " + space(side) + " link set eth0 up");
        }
        for (int number = 0; number < MAX_HOSTS; number++) {
            ip("-n " + space(side(number)) + " addr add " + host(number) + "/24 dev eth0");
        }
    }

    private static String space(int side) {
        return "perhaps-" + side;
    }

    private static String port(int side) {
        return "perhaps-v" + side;
    }

    String host(int number) {
        return NET + (number + 1);
    }

    /** Neighbours on the ring are often on one side: what only they have is cut off from the other. */
    private static int side(int number) {
        return number % 3 == 1 ? 1 : 0;
    }

    /** Which side a host is on, by its address. */
    int sideOf(String address) {
        String last = address.substring(NET.length(), address.indexOf(':'));
        return side(Integer.parseInt(last) - 1);
    }

    /** The words that start a command on the side of this host. */
    List<String> inside(int number) {
        return List.of("ip", "netns", "exec", space(side(number)));
    }

    void cut() throws Exception {
        isolate("on");
    }

    void heal() throws Exception {
        isolate("off");
    }

    private void isolate(String how) throws Exception {
        for (int side = 0; side < SIDES; side++) {
            ip("link set " + port(side) + " type bridge_slave isolated " + how);
        }
    }

    private static void ip(String words) throws Exception {
        if (run(words) != 0) {
            throw new IOException("ip " + words + " failed: are you root?");
        }
    }

    private static int run(String words) throws Exception {
        List<String> command = new ArrayList<>(List.of("ip"));
        command.addAll(Arrays.asList(words.split(" ")));
        return new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start()
                .waitFor();
    }

    @Override
    public void close() throws Exception {
        for (int side = 0; side < SIDES; side++) {
            run("netns del " + space(side));
        }
        run("link del " + BRIDGE);
    }
}
