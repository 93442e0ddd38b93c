/** Which of many documents are like this one? An index that is saved, mapped and added to. */
@NullMarked
package dev.perhaps.similarity.index;

import org.jspecify.annotations.NullMarked;
