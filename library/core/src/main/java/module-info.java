/** The library of Perhaps. What is not exported here is hidden, public or not. */
module dev.perhaps {
    requires com.dynatrace.hash4j;
    requires static com.google.errorprone.annotations;
    requires static org.jspecify;

    exports dev.perhaps;
    exports dev.perhaps.foreign;
    exports dev.perhaps.frequency;
    exports dev.perhaps.guard;
    exports dev.perhaps.key;
    exports dev.perhaps.membership;
    exports dev.perhaps.placement;
    exports dev.perhaps.plan;
    exports dev.perhaps.similarity;
    exports dev.perhaps.similarity.baskets;
    exports dev.perhaps.similarity.duplicates;
    exports dev.perhaps.similarity.index;
    exports dev.perhaps.sketch;

    // The programs of this project mix hashes, write files, print numbers and measure costs in the same way.
    exports dev.perhaps.hash to
            dev.perhaps.chord,
            dev.perhaps.proxy;
    exports dev.perhaps.io to
            dev.perhaps.chord,
            dev.perhaps.proxy;
    exports dev.perhaps.frame to
            dev.perhaps.proxy;
    exports dev.perhaps.guard.cost to
            dev.perhaps.proxy;
}
