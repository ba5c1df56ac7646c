/** One logical table over the hot and the lake tier: planning, reading and tiering. */
package io.thermocline.unionread;
