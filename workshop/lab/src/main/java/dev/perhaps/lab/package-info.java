/** The lab: experiments that repeat the tables and plots of the papers, and say which of their claims hold here. */
@NullMarked
package dev.perhaps.lab;

import org.jspecify.annotations.NullMarked;
