/** A warehouse with both tiers in this JVM, for tests of this and other modules. */
package io.thermocline.unionread.testing;
