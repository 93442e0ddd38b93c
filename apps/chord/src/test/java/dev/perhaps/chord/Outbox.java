package dev.perhaps.chord;

import java.util.ArrayList;
import java.util.List;

/** Keeps what one peer sends, and delivers nothing: a test plays all others. */
final class Outbox implements Effects {
    final List<Member> asked = new ArrayList<>();
    final List<Member> told = new ArrayList<>();
    final List<Message> questions = new ArrayList<>();
    final List<Message> notices = new ArrayList<>();
    final List<Answer> answers = new ArrayList<>();
    long lastRequest;
    boolean decides;

    /** What a member says that is asked who is around it, and knows nobody else. */
    static Event around(Member from, long request, Member predecessor, Member... successors) {
        return new Event.MessageReceived(from, request, new Message.Neighbours(predecessor, List.of(successors), from));
    }

    Message lastQuestion() {
        return questions.get(questions.size() - 1);
    }

    Message lastNotice() {
        return notices.get(notices.size() - 1);
    }

    @Override
    public void ask(Member to, long request, Message message, int deadlineMillis, boolean decides) {
        asked.add(to);
        questions.add(message);
        lastRequest = request;
        this.decides = decides;
    }

    @Override
    public void tell(Member to, long request, Message message) {
        told.add(to);
        notices.add(message);
    }

    @Override
    public void wake(Timer timer, long afterMillis) {}

    @Override
    public void answer(long ticket, Answer answer) {
        answers.add(answer);
    }

    @Override
    public void handOver(Range range, Member to) {}

    @Override
    public void takeOver(Range range) {}

    @Override
    public void changed() {}

    @Override
    public void refused(Member other) {}
}
