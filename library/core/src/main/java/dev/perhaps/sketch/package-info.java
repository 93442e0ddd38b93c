/** What every structure is: it says what it is, what it takes and how sure it is, and it writes itself; structures of one shape merge. */
@NullMarked
package dev.perhaps.sketch;

import org.jspecify.annotations.NullMarked;
