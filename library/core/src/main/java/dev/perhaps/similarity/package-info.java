/** How alike? Signatures of sets, vectors and texts whose share of equal components estimates their similarity, with its error. */
@NullMarked
package dev.perhaps.similarity;

import org.jspecify.annotations.NullMarked;
