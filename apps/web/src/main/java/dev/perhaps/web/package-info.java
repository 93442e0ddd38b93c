/** What all network programs have in common: TLS, roles, logs, signals, and a clean exit when memory runs out. */
@NullMarked
package dev.perhaps.web;

import org.jspecify.annotations.NullMarked;
