package io.thermocline.lake;

import java.io.Serializable;

/**
 * Files waiting for their commit.
 *
 * @param version version of the payload
 * @param payload the binding's own serialized form
 * @param files number of data files in it
 */
public record LakeCommittable(int version, byte[] payload, int files) implements Serializable {}
