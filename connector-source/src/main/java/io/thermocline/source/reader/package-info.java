/**
 * The source's task side: fetcher threads read units of a union read, the task thread emits rows.
 */
package io.thermocline.source.reader;
