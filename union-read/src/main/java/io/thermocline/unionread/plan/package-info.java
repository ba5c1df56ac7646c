/**
 * Planning of reads: one consistent cut of both tiers, and the units of work that read it. Makes no
 * rows itself; readers of the units are in {@code io.thermocline.unionread.reader}.
 */
package io.thermocline.unionread.plan;
