/** What all network programs have in common: TLS, roles, logs, signals, and a clean exit when memory runs out. */
@CheckReturnValue
@NullMarked
package dev.perhaps.web;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
