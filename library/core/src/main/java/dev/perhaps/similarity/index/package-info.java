/** Which of many documents are similar to this one? An index that can be saved, mapped and added to. */
@CheckReturnValue
@NullMarked
package dev.perhaps.similarity.index;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
