package dev.perhaps.chord.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.perhaps.chord.Member;
import dev.perhaps.chord.Peer;
import dev.perhaps.chord.cluster.Cluster;
import dev.perhaps.chord.cluster.HostPort;
import dev.perhaps.chord.wire.Dispatcher;
import dev.perhaps.chord.wire.FakePeer;
import dev.perhaps.chord.wire.FrameWriteBuffer;
import dev.perhaps.chord.wire.WireFrame;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The ring as somebody tells it who may be mistaken, or lie. */
@Timeout(600) // only ends a test that hangs
class RingViewTest {
    private static final Member A = Member.at("a:1", 0);

    private static RingView ask(WireFrame... answer) throws Exception {
        try (FakePeer peer = new FakePeer(Cluster.open(), question -> List.of(answer))) {
            return RingView.ask(HostPort.of(peer.address()), Cluster.open(), 10_000);
        }
    }

    /** It ended with an index out of bounds. */
    @Test
    void aMemberWithoutSuccessorsIsNotSettled() throws Exception {
        NodeView lonely = new NodeView(A, Peer.Status.MEMBER, A, List.of());
        WireFrame status = new HostStatus("a:1", List.of(lonely), List.of(), Map.of("files", 1L)).frame();
        RingView ring = ask(status, new FrameWriteBuffer().frame(Dispatcher.END));
        assertThat(ring.places()).hasSize(1);
        assertThat(ring.isSettled()).isFalse();
    }

    @Test
    void figuresAndReasonsAreWordsAndNothingThatATerminalObeys() {
        NodeView node = new NodeView(A, Peer.Status.MEMBER, A, List.of(A));
        WireFrame figure = new HostStatus("a:1", List.of(node), List.of(), Map.of("\u001b[2J", 1L)).frame();
        assertThatThrownBy(() -> ask(figure)).hasMessageContaining("a word has letters only");
        WireFrame gone = new FrameWriteBuffer().text("a:1").text("left\r").frame(Dispatcher.UNREACHED);
        assertThatThrownBy(() -> ask(gone)).hasMessageContaining("a word has letters only");
        WireFrame failed = new FrameWriteBuffer().text("no\u001b[2J\n").frame(Dispatcher.FAILED);
        assertThatThrownBy(() -> ask(failed)).hasMessage("no\\u001b[2J\\u000a");
    }
}
