package dev.perhaps.chord.wire;

import dev.perhaps.chord.Id;
import dev.perhaps.chord.Member;
import dev.perhaps.chord.Message;
import dev.perhaps.chord.Settings;
import java.util.List;

/**
 * A message of the protocol with its sender, as it goes over a connection.
 *
 * @param to the place of the one it is for: several may share an address
 */
public record Envelope(Id to, Member from, long request, Message message) {
    private static final int ASK = 1;
    private static final int AROUND = 2;
    private static final int NOT_MEMBER = 3;
    private static final int NOTIFY = 4;
    private static final int LEAVING = 5;
    private static final int FIND = 6;
    private static final int NEXT = 7;
    private static final int MINE = 8;

    WireFrame frame() {
        FrameWriteBuffer body = new FrameWriteBuffer().id(to).member(from).i64(request);
        if (message instanceof Message.Ask) {
            body.u8(ASK);
        } else if (message instanceof Message.Neighbours around) {
            body.u8(AROUND)
                    .member(around.predecessor())
                    .members(around.successors())
                    .member(around.acquaintance());
        } else if (message instanceof Message.NotMember) {
            body.u8(NOT_MEMBER);
        } else if (message instanceof Message.Notify) {
            body.u8(NOTIFY);
        } else if (message instanceof Message.Leaving leaving) {
            body.u8(LEAVING).member(leaving.predecessor());
        } else if (message instanceof Message.Find find) {
            body.u8(FIND).id(find.key()).flag(find.owner()).members(find.avoid());
        } else if (message instanceof Message.Referral next) {
            body.u8(NEXT).member(next.member()).flag(next.owner());
        } else if (message instanceof Message.Ownership mine) {
            body.u8(MINE).member(mine.predecessor()).flag(mine.presumed());
        }
        return body.frame(WireFrame.MESSAGE);
    }

    static Envelope read(WireFrame frame) throws BadFrame {
        FrameReadBuffer body = frame.read();
        Id to = body.id();
        Member from = body.member();
        if (from.isNobody()) {
            throw new BadFrame("a message has no sender");
        }
        Envelope envelope = new Envelope(to, from, body.i64(), message(body));
        body.end();
        return envelope;
    }

    private static Message message(FrameReadBuffer body) throws BadFrame {
        int kind = body.u8();
        return switch (kind) {
            case ASK -> new Message.Ask();
            case AROUND -> around(body);
            case NOT_MEMBER -> new Message.NotMember();
            case NOTIFY -> new Message.Notify();
            case LEAVING -> new Message.Leaving(body.member());
            case FIND -> {
                Id key = body.id();
                boolean owner = body.flag();
                yield new Message.Find(key, body.members(Message.Find.MAX_AVOIDED), owner);
            }
            case NEXT -> {
                Member member = body.member();
                yield new Message.Referral(member, body.flag());
            }
            case MINE -> {
                Member predecessor = body.member();
                yield new Message.Ownership(predecessor, body.flag());
            }
            default -> throw new BadFrame("unknown message kind " + kind);
        };
    }

    private static Message around(FrameReadBuffer body) throws BadFrame {
        Member predecessor = body.member();
        List<Member> successors = body.members(Settings.MAX_SUCCESSORS);
        if (predecessor.isNobody() || successors.isEmpty()) {
            throw new BadFrame("a member has a predecessor and a successor");
        }
        return new Message.Neighbours(predecessor, successors, body.member());
    }
}
