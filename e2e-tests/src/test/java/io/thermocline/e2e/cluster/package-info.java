/**
 * Tests of the whole thing with separate processes: the {@code ./thermocline} command line, a
 * session cluster, the SQL client and the hot store's server, as a user starts them.
 */
package io.thermocline.e2e.cluster;
