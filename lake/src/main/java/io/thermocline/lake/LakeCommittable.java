package io.thermocline.lake;

import java.io.Serializable;

/**
 * Files waiting for their commit.
 *
 * @param version version of the payload
 * @param payload the binding's own serialized form
 * @param files number of data files in it
 * @param bytes their size together
 */
public record LakeCommittable(int version, byte[] payload, int files, long bytes)
        implements Serializable {}
