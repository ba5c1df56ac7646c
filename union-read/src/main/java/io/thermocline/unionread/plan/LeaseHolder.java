package io.thermocline.unionread.plan;

import java.io.Serializable;
import java.time.Duration;

/**
 * Who takes a lease.
 *
 * @param name for diagnosis
 * @param maxAge a lease ends by itself this long after it was taken or last renewed
 * @param bounded whether the reading ends by itself, so that it can be waited for
 */
public record LeaseHolder(String name, Duration maxAge, boolean bounded) implements Serializable {}
