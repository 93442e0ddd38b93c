/** perhaps place, peer, ring, put, get, delete and grant: who has it? */
@NullMarked
package dev.perhaps.cli.placement;

import org.jspecify.annotations.NullMarked;
