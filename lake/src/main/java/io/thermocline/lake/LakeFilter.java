package io.thermocline.lake;

import java.io.Serializable;

/** A predicate in the lake's own form; only its binding looks inside. */
public interface LakeFilter extends Serializable {}
