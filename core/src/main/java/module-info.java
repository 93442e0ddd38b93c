/** The library of Perhaps. What is not exported here is nobody's to call, public or not. */
module dev.perhaps {
    requires com.dynatrace.hash4j;
    requires static org.jspecify;

    exports dev.perhaps;
    exports dev.perhaps.foreign;
    exports dev.perhaps.frequency;
    exports dev.perhaps.io;
    exports dev.perhaps.key;
    exports dev.perhaps.membership;
    exports dev.perhaps.placement;
    exports dev.perhaps.plan;
    exports dev.perhaps.similarity;
}
