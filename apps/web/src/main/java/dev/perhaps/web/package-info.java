/** What every network program needs once, whatever it serves. */
@NullMarked
package dev.perhaps.web;

import org.jspecify.annotations.NullMarked;
