package dev.perhaps.frequency;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A heap of values with their counts, the smallest on top, that also finds a value at once. */
final class HeavyHeap<T> {
    /*
     * A binary heap in a list; each node knows its place in it, and a map knows the node of a value. Bytes are not
     * equal to their copy, so they are found by a buffer around them, which is.
     */
    private static final class Node<T> {
        final T value;
        long count;
        int at;

        Node(T value, long count) {
            this.value = value;
            this.count = count;
        }
    }

    private final List<Node<T>> heap = new ArrayList<>();
    private final Map<Object, Node<T>> nodes = new HashMap<>();

    int size() {
        return heap.size();
    }

    void clear() {
        heap.clear();
        nodes.clear();
    }

    boolean contains(T value) {
        return nodes.containsKey(wrapped(value));
    }

    private static Object wrapped(Object value) {
        return value instanceof byte[] bytes ? ByteBuffer.wrap(bytes) : value;
    }

    @SuppressWarnings("unchecked") // a copy of bytes is of the type of the bytes
    private static <T> T copied(T value) {
        return value instanceof byte[] bytes ? (T) bytes.clone() : value;
    }

    /** Puts a value in, or changes the count of one that is there. */
    void put(T value, long count) {
        Node<T> node = nodes.get(wrapped(value));
        if (node == null) {
            node = new Node<>(copied(value), count);
            nodes.put(wrapped(node.value), node);
            node.at = heap.size();
            heap.add(node);
            up(node);
        } else {
            node.count = count;
            up(node);
            down(node);
        }
    }

    void remove(T value) {
        Node<T> node = nodes.remove(wrapped(value));
        if (node != null) {
            removeFromHeap(node);
        }
    }

    /** Removes all counts that are less. */
    void removeBelow(long least) {
        while (!heap.isEmpty() && heap.get(0).count < least) {
            Node<T> smallest = heap.get(0);
            nodes.remove(wrapped(smallest.value));
            removeFromHeap(smallest);
        }
    }

    private void removeFromHeap(Node<T> node) {
        Node<T> last = heap.remove(heap.size() - 1);
        if (last != node) {
            place(last, node.at);
            up(last);
            down(last);
        }
    }

    private void place(Node<T> node, int at) {
        node.at = at;
        heap.set(at, node);
    }

    private void up(Node<T> node) {
        int at = node.at;
        while (at > 0 && heap.get((at - 1) / 2).count > node.count) {
            place(heap.get((at - 1) / 2), at);
            at = (at - 1) / 2;
        }
        place(node, at);
    }

    private void down(Node<T> node) {
        int at = node.at;
        Node<T> child = smallerChild(at);
        while (child != null && child.count < node.count) {
            int next = child.at;
            place(child, at);
            at = next;
            child = smallerChild(at);
        }
        place(node, at);
    }

    private @Nullable Node<T> smallerChild(int at) {
        int left = 2 * at + 1;
        if (left >= heap.size()) {
            return null;
        }
        Node<T> first = heap.get(left);
        return left + 1 < heap.size() && heap.get(left + 1).count < first.count ? heap.get(left + 1) : first;
    }

    /** All of it, the largest count first, equal ones by this order. */
    List<Estimated<T>> sorted(Comparator<T> ties) {
        return heap.stream()
                .map(node -> new Estimated<>(copied(node.value), node.count))
                .sorted(Comparator.comparingLong((Estimated<T> one) -> -one.estimate())
                        .thenComparing(Estimated::value, ties))
                .toList();
    }
}
