/** Which of many documents are similar to this one? An index that can be saved, mapped and added to. */
@NullMarked
package dev.perhaps.similarity.index;

import org.jspecify.annotations.NullMarked;
