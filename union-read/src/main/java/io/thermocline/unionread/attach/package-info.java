/** Gives lake tables that exist a hot tier, and takes it away again. */
@org.jspecify.annotations.NullMarked
package io.thermocline.unionread.attach;
