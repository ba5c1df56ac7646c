/**
 * The frame group: how one batch of a changelog is written and read (see {@code docs/format.md}).
 * Files made of frame groups, and when they are written, belong to the engine.
 */
package io.thermocline.hotstore.format;
