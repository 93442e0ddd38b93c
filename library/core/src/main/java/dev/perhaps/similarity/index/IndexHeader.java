package dev.perhaps.similarity.index;

import dev.perhaps.frame.Frame;
import dev.perhaps.key.Key;
import dev.perhaps.similarity.Banding;
import dev.perhaps.similarity.Family;
import dev.perhaps.similarity.MinHash;
import dev.perhaps.similarity.segments.IndexShape;
import dev.perhaps.sketch.FormatException;

/** The checked header of an index file. */
record IndexHeader(MinHash<?> minHash, Banding banding, double recall, IndexShape shape) {
    static IndexHeader of(Frame frame, Key<?> key) throws FormatException {
        long scheme = frame.parameter(0);
        long components = frame.parameter(1);
        long rows = frame.parameter(2);
        double threshold = frame.parameterAsDouble(3);
        double recall = frame.parameterAsDouble(4);
        long exact = frame.parameter(5);
        long documents = frame.parameter(6);
        long nameBytes = frame.parameter(7);
        long setWords = frame.parameter(8);
        long payload = frame.payloadBytes();
        frame.require(scheme == MinHash.FAST || scheme == MinHash.CLASSIC, "scheme", scheme);
        frame.require(components >= 1 && components <= Family.MAX_COMPONENTS, "components", components);
        frame.require(rows >= 1 && rows <= components, "rows", rows);
        frame.require(threshold > 0 && threshold <= 1, "threshold", threshold);
        frame.require(recall > 0 && recall < 1, "recall", recall);
        frame.require(exact == 0 || exact == 1, "exact", exact);
        frame.require(documents >= 0 && documents <= IndexShape.MAX_DOCUMENTS, "documents", documents);
        frame.require(nameBytes >= 0 && nameBytes <= payload, "bytes of names", nameBytes);
        frame.require(setWords >= 0 && setWords <= exact * payload, "words of sets", setWords);
        IndexShape shape = new IndexShape((int) components, (int) rows, exact == 1, documents, nameBytes, setWords);
        frame.require(payload == shape.words() * Long.BYTES, "a payload of bytes", payload);
        return new IndexHeader(
                MinHash.of((int) scheme, (int) components, key),
                Banding.of((int) components).threshold(threshold).rows((int) rows),
                recall,
                shape);
    }
}
